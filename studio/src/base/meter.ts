// How much of each frame the main thread works for this app: reading messages, following the pointer, moving what is
// shown, and giving the drawing to the graphics card. What the card itself takes is not in it.

/** Frames that are remembered. */
const MEMORY = 240;

export interface FrameCosts {
  frames: number;
  /** Milliseconds of work in a frame. */
  mean: number;
  median: number;
  p95: number;
  max: number;
}

class Meter {
  private readonly costs = new Float64Array(MEMORY);
  private count = 0;
  private present = 0;
  private depth = 0;

  /** Counts what a function takes towards the present frame. */
  work<Result>(run: () => Result): Result {
    if (this.depth > 0) return run();
    this.depth += 1;
    const start = performance.now();
    try {
      return run();
    } finally {
      this.depth -= 1;
      this.present += performance.now() - start;
    }
  }

  /** A frame was drawn. */
  frame(): void {
    this.costs[this.count % MEMORY] = this.present;
    this.count += 1;
    this.present = 0;
  }

  /** Forgets everything, so that a measurement starts here. */
  reset(): void {
    this.count = 0;
    this.present = 0;
  }

  summary(): FrameCosts {
    const frames = Math.min(this.count, MEMORY);
    const sorted = this.costs.slice(0, frames).sort();
    const at = (part: number) => sorted[Math.min(Math.floor(part * frames), frames - 1)] ?? 0;
    return { frames, mean: sorted.reduce((sum, cost) => sum + cost, 0) / Math.max(frames, 1), median: at(0.5), p95: at(0.95), max: at(1) };
  }
}

export const meter = new Meter();
