// Fingers, mouse and keys on the paddles.
//
// One finger moves a paddle along its line and, by sliding across it, tilts it; two fingers at once are two players. With the
// option of the original game a second finger of the same player turns the paddle instead. The mouse moves the paddle without a
// press; its wheel tilts. Keys: W and S move, A and D tilt; arrows for the right player, or for the left when alone.

import type { Court, Place } from './court';
import type { Paddle } from './paddle';

/** Sliding so far across the line tilts as far as can be, in metres. */
const SLIDE = 1.5;
/** Of keys, in metres and radians a second. */
const [KEY_SPEED, KEY_TURN] = [9, 3.5];

interface Finger {
  side: 0 | 1;
  start: Place;
  at: Place;
  tilt: number;
}

export interface HandOptions {
  /** Whether two people play. */
  two: () => boolean;
  /** A second finger turns the paddle. */
  twoFingers: () => boolean;
  playing: () => boolean;
}

export class Hands {
  private readonly fingers = new Map<number, Finger>();
  private readonly keys = new Set<string>();
  private readonly disposers: (() => void)[] = [];

  constructor(private readonly canvas: HTMLCanvasElement, private readonly court: Court, private readonly paddles: [Paddle, Paddle], private readonly options: HandOptions) {
    const listen = <Name extends keyof HTMLElementEventMap>(name: Name, run: (event: HTMLElementEventMap[Name]) => void) => {
      canvas.addEventListener(name, run, { passive: false });
      this.disposers.push(() => {
        canvas.removeEventListener(name, run);
      });
    };
    listen('pointerdown', this.down);
    listen('pointermove', this.move);
    listen('pointerup', this.up);
    listen('pointercancel', this.up);
    listen('wheel', (event) => {
      event.preventDefault();
      const paddle = this.paddles[0];
      paddle.aim(paddle.target, paddle.targetTilt + event.deltaY * 0.0025);
    });
    listen('contextmenu', (event) => {
      event.preventDefault();
    });
    const press = (event: KeyboardEvent) => {
      if (!this.options.playing() || event.ctrlKey || event.metaKey) return;
      const key = event.key.toLowerCase();
      if (!/^(w|a|s|d|arrow(up|down|left|right))$/.test(key)) return;
      event.preventDefault();
      this.keys.add(key);
    };
    const release = (event: KeyboardEvent) => {
      this.keys.delete(event.key.toLowerCase());
    };
    const forget = () => {
      this.keys.clear();
      this.fingers.clear();
    };
    window.addEventListener('keydown', press);
    window.addEventListener('keyup', release);
    window.addEventListener('blur', forget);
    this.disposers.push(() => {
      window.removeEventListener('keydown', press);
      window.removeEventListener('keyup', release);
      window.removeEventListener('blur', forget);
    });
  }

  dispose(): void {
    for (const dispose of this.disposers) dispose();
  }

  /** What keys do in so many seconds. */
  advance(seconds: number): void {
    const two = this.options.two();
    const side = (player: 0 | 1, up: string[], down: string[], left: string[], right: string[]) => {
      const held = (names: string[]) => names.some((name) => this.keys.has(name));
      const paddle = this.paddles[player];
      const move = (held(up) ? 1 : 0) - (held(down) ? 1 : 0);
      // The key that points right leans the upper end to the right, which is clockwise.
      const lean = (held(left) ? 1 : 0) - (held(right) ? 1 : 0);
      if (move !== 0 || lean !== 0) paddle.aim(paddle.target + move * KEY_SPEED * seconds, paddle.targetTilt + lean * KEY_TURN * seconds);
    };
    if (two) {
      side(0, ['w'], ['s'], ['a'], ['d']);
      side(1, ['arrowup'], ['arrowdown'], ['arrowleft'], ['arrowright']);
    } else {
      side(0, ['w', 'arrowup'], ['s', 'arrowdown'], ['a', 'arrowleft'], ['d', 'arrowright']);
    }
  }

  private readonly down = (event: PointerEvent) => {
    const at = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    const side = this.options.two() && at.x > 0 ? 1 : 0;
    this.fingers.set(event.pointerId, { side, start: at, at, tilt: this.paddles[side].targetTilt });
    this.follow(event.pointerId);
  };

  private readonly move = (event: PointerEvent) => {
    const at = this.place(event);
    const finger = this.fingers.get(event.pointerId);
    if (finger) {
      finger.at = at;
      this.follow(event.pointerId);
    } else if (event.pointerType === 'mouse' && this.options.playing()) {
      const paddle = this.paddles[0];
      paddle.aim(at.y, paddle.targetTilt);
    }
  };

  private readonly up = (event: PointerEvent) => {
    const finger = this.fingers.get(event.pointerId);
    this.fingers.delete(event.pointerId);
    // A finger that leaves lets the paddle stand upright again.
    if (finger && ![...this.fingers.values()].some(({ side }) => side === finger.side)) {
      const paddle = this.paddles[finger.side];
      if (event.pointerType !== 'mouse') paddle.aim(paddle.target, 0);
    }
  };

  private follow(pointer: number): void {
    const finger = this.fingers.get(pointer);
    if (!finger) return;
    const paddle = this.paddles[finger.side];
    const own = [...this.fingers.values()].filter(({ side }) => side === finger.side);
    const [first, second] = own;
    if (first && second && this.options.twoFingers()) {
      // The line between the fingers, from upright.
      const [dx, dy] = [second.at.x - first.at.x, second.at.y - first.at.y];
      const angle = Math.atan2(dy < 0 ? dx : -dx, Math.abs(dy));
      paddle.aim((first.at.y + second.at.y) / 2, angle);
      return;
    }
    const tilt = finger.tilt - ((finger.at.x - finger.start.x) / SLIDE) * this.court.facts.tilt;
    paddle.aim(finger.at.y, tilt);
  }

  private place(event: PointerEvent): Place {
    const box = this.canvas.getBoundingClientRect();
    return this.court.toWorld({ x: event.clientX - box.left, y: event.clientY - box.top });
  }
}
