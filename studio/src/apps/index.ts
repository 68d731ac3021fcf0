// The apps of the studio. A new one is an entry here: the start page and the routes follow. Each is loaded when it is opened.

import type { JSX } from 'preact';

/** What an app's module gives. */
export interface AppModule {
  Page: () => JSX.Element;
}

export interface App {
  /** Its address after `#/`. */
  path: string;
  title: string;
  about: string;
  /** Left out of the start page: for measurements. */
  hidden?: boolean;
  load: () => Promise<AppModule>;
  /** The living picture of its card. */
  card?: () => Promise<{ Card: (props: CardProps) => JSX.Element }>;
}

/** What a card may tell the start page. */
export interface CardProps {
  onScenes: (scenes: { name: string; about: string }[]) => void;
}

export const APPS: App[] = [
  {
    path: 'contact-lab',
    title: 'Contact Lab',
    about: 'Hold smooth bodies, bend them, move them, and see their distance with its proof, live.',
    load: () => import('./lab/index'),
    card: () => import('./lab/Card'),
  },
  {
    path: 'pong',
    title: 'Duper Bowl Pong',
    about: 'Tennis with a ball that is a superellipse: it changes its shape, spins, and bounces by what it is.',
    load: () => import('./pong/index'),
    card: () => import('./pong/Card'),
  },
  {
    path: 'terrain-cloth',
    title: 'Terrain Cloth',
    about: 'Spread a blanket over smooth bodies and it becomes mountains: shape them, walk on them, take them away.',
    load: () => import('./terrain/index'),
    card: () => import('./terrain/Card'),
  },
  {
    path: 'multibody-sketcher',
    title: 'Multibody Sketcher',
    about: 'Draw a creature with a few strokes, flesh it out with ellipses, pose it, and take it away as a robot.',
    load: () => import('./sketcher/index'),
    card: () => import('./sketcher/Card'),
  },
  {
    path: 'cloth-table',
    title: 'Cloth Table',
    about: 'A cloth over a body, live: what the studio’s speed is measured with.',
    hidden: true,
    load: () => import('./cloth/index'),
  },
];
