// The card of Terrain Cloth: a blanket over hills, half of it already terrain.

import './terrain.css';

import type { JSX } from 'preact';

const RIDGES = [
  'M0 128C40 120 62 70 96 58s44 44 70 46 42-66 78-72 46 62 76 66 60-18 100-12v120H0z',
  'M0 152c36-4 60-34 92-34s52 30 84 30 60-52 92-52 46 44 76 46 48-8 76-8v72H0z',
  'M0 178c50-8 84-20 128-16s74 14 118 8 88-22 174-12v48H0z',
];

export function Card(): JSX.Element {
  return (
    <span class="card-picture">
      <svg class="terrain-picture" viewBox="0 0 420 200" preserveAspectRatio="xMidYMax slice" role="img" aria-label="A blanket over hills that becomes a landscape">
        <defs>
          <pattern id="terrain-plaid" width="26" height="26" patternUnits="userSpaceOnUse" patternTransform="rotate(24)">
            <rect width="26" height="26" fill="#e3d3b3" />
            <rect width="13" height="26" fill="#2f7f8f" opacity="0.55" />
            <rect width="26" height="13" fill="#2f7f8f" opacity="0.55" />
            <path d="M19.5 0v26M0 19.5h26" stroke="#d9822b" stroke-width="1.6" />
          </pattern>
          <linearGradient id="terrain-fade" x1="0" x2="1"><stop offset="0.42" stop-color="#fff" /><stop offset="0.6" stop-color="#000" /></linearGradient>
          <mask id="terrain-half"><rect width="420" height="200" fill="url(#terrain-fade)" /></mask>
        </defs>
        <circle class="terrain-sun" cx="330" cy="34" r="17" />
        <path class="far" d={RIDGES[0]} />
        <path class="snow" d="M228 44c4-6 8-10 16-12 10-2 18 4 25 14l-9 8-8-7-9 9-7-8z" />
        <path class="mid" d={RIDGES[1]} />
        <path class="near" d={RIDGES[2]} />
        <g mask="url(#terrain-half)">
          <path fill="url(#terrain-plaid)" d={RIDGES[0]} />
          <path fill="url(#terrain-plaid)" stroke="#00000030" d={RIDGES[1]} />
          <path fill="url(#terrain-plaid)" stroke="#00000030" d={RIDGES[2]} />
        </g>
      </svg>
    </span>
  );
}
