// Icons, drawn on a grid of 24 with one stroke width.

import type { JSX } from 'preact';

const PATHS = {
  undo: 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  redo: 'm15 14 5-5-5-5M20 9H10a6 6 0 0 0 0 12h3',
  plus: 'M12 5v14M5 12h14',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  paste: 'M9 4h6v3H9zM9 5H5v15h14V5h-4M9 12h6M9 16h4',
  save: 'M5 4h11l3 3v13H5zM8 4v5h7V4M8 20v-6h8v6',
  keep: 'M6 4h12v16l-6-4-6 4z',
  open: 'M3 6h6l2 2h10v11H3zM3 11h18',
  move: 'M12 3v18M3 12h18M12 3 9 6m3-3 3 3M12 21l-3-3m3 3 3-3M3 12l3-3m-3 3 3 3M21 12l-3-3m3 3-3 3',
  turn: 'M20 12a8 8 0 1 1-3-6.2M20 4v5h-5',
  shape: 'M12 3c6 0 8 3 8 9s-2 9-8 9-8-3-8-9 2-9 8-9zM12 3v18M4 12h16',
  help: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.5M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M8 5v14M16 5v14',
  key: 'M12 4l7 8-7 8-7-8z',
  first: 'M6 5v14M18 5l-8 7 8 7z',
  back: 'M15 5l-8 7 8 7',
  forward: 'M9 5l8 7-8 7',
  last: 'M18 5v14M6 5l8 7-8 7z',
  frame: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  dent: 'M4 5c6 2 6 12 0 14h16c-6-2-6-12 0-14z',
  egg: 'M12 3c4 0 6.5 5.5 6.5 10A6.5 8 0 0 1 12 21a6.5 8 0 0 1-6.5-8C5.5 8.5 8 3 12 3z',
  ring: 'M12 6c5 0 9 2.5 9 6s-4 6-9 6-9-2.5-9-6 4-6 9-6zM12 10.5c2 0 3.5.6 3.5 1.5s-1.5 1.5-3.5 1.5-3.5-.6-3.5-1.5 1.5-1.5 3.5-1.5z',
  bowls: 'M5 3c1 4 4 6 7 6s6-2 7-6M5 21c1-4 4-6 7-6s6 2 7 6',
  plane: 'M2 16 9 8h13l-7 8z',
  point: 'M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  segment: 'M6 18 18 6M6 16.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM18 4.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
  triangle: 'M12 4 21 19H3z',
  compound: 'M8 6a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM16.5 10a4 4 0 1 1-4.5 6.5',
  mesh: 'M12 3 4 8v8l8 5 8-5V8zM4 8l8 4.5L20 8M12 12.5V21M4 16l8-3.5 8 3.5',
  join: 'M8 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM16 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z',
  apart: 'M7 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM17 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 4v3M12 17v3',
  impact: 'M12 3v5M12 16v5M3 12h5M16 12h5M12 10.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3zM5.5 5.5l3 3M18.5 18.5l-3-3M18.5 5.5l-3 3M5.5 18.5l3-3',
  views: 'M4 4h16v16H4zM12 4v16M4 12h16',
  scenes: 'M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z',
  close: 'M6 6l12 12M18 6 6 18',
  grid: 'M4 4h16v16H4zM4 9.3h16M4 14.7h16M9.3 4v16M14.7 4v16',
  axes: 'M6 18V4M6 4 3.5 7M6 4l2.5 3M6 18h14M20 18l-3-2.5M20 18l-3 2.5M6 18l5-5',
  hidden: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM4 20 20 4',
  shown: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  locked: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  unlocked: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 6.8-1.2',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.5 1.5M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1.5-1.5',
  export: 'M12 15V4M12 4 8 8M12 4l4 4M5 13v7h14v-7',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 8a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z',
  sound: 'M4 9.5v5h4l5 4v-13l-5 4zM16.5 9a4 4 0 0 1 0 6M19 6.5a8 8 0 0 1 0 11',
  mute: 'M4 9.5v5h4l5 4v-13l-5 4zM16.5 9.5l5 5M21.5 9.5l-5 5',
  hill: 'M2 19c4 0 5-12 10-12s6 12 10 12z',
  mountains: 'M2 19 9 7l4 6 2.5-3.5L22 19zM7 10.4l2 1.6 2-1.6',
  cloth: 'M4 5c3 2 5-1 8 0s5 2 8 0v13c-3 2-5 1-8 0s-5-2-8 0zM9.5 5v13M14.5 6v13',
  walk: 'M13 3.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6zM13 8l-3 5 3 2.5V21M10 13l-3 7M12 9.5l3.5 2.5H18M11 9l-3.5 1.5V14',
  drop: 'M4 5c3 1.5 5-1.5 8 0s5 1.5 8 0M12 9v9M8.5 14.5 12 18l3.5-3.5',
  iron: 'M3 17h18c0-5-3-8-8-8H9c-3 0-5 3-6 8zM9 9V6h7',
  frost: 'M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9M12 6l-2.2-2M12 6l2.2-2M12 18l-2.2 2M12 18l2.2 2',
  sliders: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  pin: 'M9 3l3 9 3-9M10 12l-1.5 9M14 12l1.5 9M9.5 11h5',
  shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
