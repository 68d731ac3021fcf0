// What a hand holds is drawn where the hand is, before the session answers: the value is the client's until a frame has seen the
// release, and then goes over into the session's without a jump.

/** Seconds in which a difference shrinks to a third. */
const BLEND = 0.06;

export class Predicted {
  private own: number;
  private held = false;
  /** The input that let go. */
  private released = 0;
  private last = 0;

  constructor(start: number) {
    this.own = start;
  }

  /** A hand moves it. */
  hold(value: number): void {
    this.held = true;
    this.own = value;
  }

  /** The hand let go with this input. */
  release(sequence: number): void {
    this.held = false;
    this.released = sequence;
  }

  /** What is drawn at a time in seconds, when the newest frame says `theirs` and has seen `input`. */
  at(now: number, theirs: number, input: number): number {
    const seconds = Math.min(Math.max(now - this.last, 0), 0.1);
    this.last = now;
    if (!this.held && input >= this.released) this.own += (theirs - this.own) * (1 - Math.exp(-seconds / BLEND));
    return this.own;
  }
}
