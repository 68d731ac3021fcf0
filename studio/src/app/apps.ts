// The apps of the studio. A new one is an entry here: the start page and the routes follow.

import type { JSX } from 'preact';

import { Lab } from '../lab/Lab';

export interface App {
  /** Its address after `#/`. */
  path: string;
  title: string;
  about: string;
  /** Number of the ready scene that its card plays. */
  thumbnail: number;
  page: () => JSX.Element;
}

export const APPS: App[] = [
  {
    path: 'contact-lab',
    title: 'Contact Lab',
    about: 'Hold smooth bodies, bend them, move them, and see their distance with its proof, live.',
    thumbnail: 0,
    page: Lab,
  },
];
