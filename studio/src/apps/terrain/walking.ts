// How a user walks: a stick under the left thumb and the look under the right one, or keys and mouse.

import type { Drag, Press } from '../../input/pointers';
import { Stick } from '../../input/stick';
import type { InputPort } from '../../link/input-port';

const [STICK, JUMP] = [2, 3];
/** Radians of a pixel. */
const LOOK = 0.006;
const KEYS: Record<string, [number, number]> = {
  KeyW: [0, 1], ArrowUp: [0, 1], KeyS: [0, -1], ArrowDown: [0, -1], KeyA: [-1, 0], ArrowLeft: [-1, 0], KeyD: [1, 0], ArrowRight: [1, 0],
};

export class Walking {
  readonly stick = new Stick();
  /** Where the camera looks, about the vertical and upwards, and how far behind it is. */
  yaw = Math.PI / 2;
  pitch = -0.08;
  behind = 5;
  private readonly down = new Set<string>();

  constructor(private readonly input: InputPort) {}

  begin(): void {
    Object.assign(this, { yaw: Math.PI / 2, pitch: -0.08, behind: 5 });
    this.down.clear();
  }

  /** A finger on the left moves; one on the right, or a mouse, looks around. */
  press(press: Press, width: number): Drag {
    if (press.kind === 'touch' && press.x < width / 2) return this.stick.take(press);
    return {
      move: (sample, from) => {
        this.yaw -= (sample.x - from.x) * LOOK;
        this.pitch = Math.min(Math.max(this.pitch - (sample.y - from.y) * LOOK, -1.3), 0.9);
      },
      release: (still) => {
        if (still) this.jump();
      },
      cancel: () => undefined,
    };
  }

  zoom(factor: number): void {
    this.behind = Math.min(Math.max(this.behind / factor, 1.5), 12);
  }

  jump(): void {
    this.input.press({ control: JUMP, values: [0, 0, 0] });
  }

  /** Keys that are held; whether one was meant for this. */
  key(event: KeyboardEvent): boolean {
    if (event.code === 'Space' && event.type === 'keydown') {
      if (!event.repeat) this.jump();
      return true;
    }
    if (!(event.code in KEYS)) return false;
    if (event.type === 'keydown') this.down.add(event.code);
    else this.down.delete(event.code);
    return true;
  }

  letGo(): void {
    this.down.clear();
  }

  /** What is wanted goes with the next message. */
  send(): void {
    let [x, y] = this.stick.value;
    for (const code of this.down) {
      const [dx, dy] = KEYS[code] ?? [0, 0];
      x += dx;
      y += dy;
    }
    this.input.move({ control: STICK, values: [x, y, this.yaw, this.pitch, this.behind] });
  }
}
