// A paddle as its player sees it: it follows the hand at once, by the same rules as in the session.

import type { Court } from './court';

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

export class Paddle {
  height = 0;
  tilt = 0;
  target = 0;
  targetTilt = 0;
  /** Whether the hand wants something that was not sent yet. */
  private changed = false;

  constructor(private readonly court: Court) {}

  aim(height: number, tilt: number): void {
    const { reach, facts } = this.court;
    const [wanted, lean] = [clamp(height, -reach, reach), clamp(tilt, -facts.tilt, facts.tilt)];
    if (wanted === this.target && lean === this.targetTilt) return;
    this.target = wanted;
    this.targetTilt = lean;
    this.changed = true;
  }

  /** What is to be sent; null when nothing changed. */
  take(): [number, number, number] | null {
    if (!this.changed) return null;
    this.changed = false;
    return [0, this.target, this.targetTilt];
  }

  advance(seconds: number): void {
    const [speed, turn] = this.court.facts.speed;
    this.height += clamp(this.target - this.height, -speed * seconds, speed * seconds);
    this.tilt += clamp(this.targetTilt - this.tilt, -turn * seconds, turn * seconds);
  }
}
