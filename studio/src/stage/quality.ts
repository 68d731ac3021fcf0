// How finely is drawn while pictures follow each other: where they come too slowly, with fewer pixels and with shadows that are
// renewed less often; at rest, always all of it. So a weak machine follows the hand, and what one looks at is sharp.

export interface Fineness {
  /** Part of the pixels along a side. */
  pixels: number;
  /** Shadows are renewed every so many pictures. */
  shadows: number;
}

const LEVELS: Fineness[] = [
  { pixels: 1, shadows: 1 },
  { pixels: 1, shadows: 2 },
  { pixels: 0.75, shadows: 3 },
  { pixels: 0.5, shadows: 4 },
];
const COARSEST = LEVELS.length - 1;

/** Milliseconds between pictures that are too many, and that are as few as can be. */
const SLOW = 25;
const SMOOTH = 18;
/** So many in a row decide. */
const SLOW_ROW = 8;
const SMOOTH_ROW = 180;
/** Milliseconds without a new picture that are rest. */
const REST = 250;

export class Quality {
  private level = 0;
  /** What moves is drawn like this. */
  private moving = 0;
  private last = -Infinity;
  private slow = 0;
  private smooth = 0;

  get fineness(): Fineness {
    return LEVELS[this.level] as Fineness;
  }

  /** Whether all of it is drawn. */
  get isFull(): boolean {
    return this.level === 0;
  }

  /** A picture is due at this time. Returns whether it is drawn otherwise than the last. */
  draw(now: number): boolean {
    const interval = now - this.last;
    this.last = now;
    if (interval > REST) {
      // The first after a rest: whether more follow is not known.
      this.slow = 0;
      this.smooth = 0;
      return this.become(this.level);
    }
    this.slow = interval > SLOW ? this.slow + 1 : Math.max(this.slow - 1, 0);
    this.smooth = interval < SMOOTH ? this.smooth + 1 : 0;
    if (this.slow >= SLOW_ROW && this.moving < COARSEST) {
      this.moving += 1;
      this.slow = 0;
    } else if (this.smooth >= SMOOTH_ROW && this.moving > 0) {
      this.moving -= 1;
      this.smooth = 0;
    }
    return this.become(this.moving);
  }

  /** No picture is due. Returns whether the last one has to be drawn once more, as finely as can be. */
  rest(now: number): boolean {
    return now - this.last > REST && this.become(0);
  }

  private become(level: number): boolean {
    const changed = level !== this.level;
    this.level = level;
    return changed;
  }
}
