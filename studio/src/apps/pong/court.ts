// The court on the screen: lying in a wide window, standing in a narrow one, where the left player sits at the bottom.

import type { Facts } from './messages';

export interface Place {
  x: number;
  y: number;
}

export class Court {
  standing = false;
  scale = 1;
  private width = 1;
  private height = 1;

  constructor(readonly facts: Facts) {}

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.standing = height > width;
    const [w, h] = [2 * this.facts.court[0] + 0.6, 2 * this.facts.court[1] + 0.6];
    this.scale = this.standing ? Math.min(width / h, height / w) : Math.min(width / w, height / h);
  }

  toScreen({ x, y }: Place): Place {
    const [cx, cy] = [this.width / 2, this.height / 2];
    return this.standing ? { x: cx - y * this.scale, y: cy - x * this.scale } : { x: cx + x * this.scale, y: cy - y * this.scale };
  }

  toWorld({ x, y }: Place): Place {
    const [cx, cy] = [this.width / 2, this.height / 2];
    return this.standing ? { x: (cy - y) / this.scale, y: (cx - x) / this.scale } : { x: (x - cx) / this.scale, y: (cy - y) / this.scale };
  }

  /** An angle of the world, clockwise on the screen. */
  angle(turn: number): number {
    return this.standing ? -turn - Math.PI / 2 : -turn;
  }

  /** How far a paddle's middle may go, as in the session. */
  get reach(): number {
    return this.facts.court[1] - 0.6 * this.facts.paddle;
  }
}

/** The outline of a superellipse about its middle. */
export function outline([a, b]: readonly [number, number], exponent: number, corners = 96): Place[] {
  const power = (value: number) => Math.sign(value) * Math.abs(value) ** exponent;
  return Array.from({ length: corners }, (_, k) => {
    const angle = (2 * Math.PI * k) / corners;
    return { x: a * power(Math.cos(angle)), y: b * power(Math.sin(angle)) };
  });
}
