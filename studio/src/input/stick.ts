// A stick under a finger: it begins where the finger comes down, and says in which direction and how far the finger has gone.

import { signal } from '@preact/signals';

import type { Drag, Point, Press } from './pointers';

/** Pixels to the end of its way. */
export const STICK_REACH = 56;

export class Stick {
  /** Where it began and where its knob is, while a finger holds it. */
  readonly held = signal<{ from: Point; knob: Point } | null>(null);

  /** To the right and up, at most 1 long. */
  get value(): [number, number] {
    const held = this.held.peek();
    return held ? [(held.knob.x - held.from.x) / STICK_REACH, (held.from.y - held.knob.y) / STICK_REACH] : [0, 0];
  }

  take(press: Press): Drag {
    const from = { x: press.x, y: press.y };
    this.held.value = { from, knob: from };
    const end = () => {
      this.held.value = null;
    };
    return {
      move: ({ x, y }) => {
        const [dx, dy] = [x - from.x, y - from.y];
        const shrink = Math.min(1, STICK_REACH / Math.max(Math.hypot(dx, dy), 1e-6));
        this.held.value = { from, knob: { x: from.x + dx * shrink, y: from.y + dy * shrink } };
      },
      release: end,
      cancel: end,
    };
  }
}
