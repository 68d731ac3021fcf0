// From a hand's move to the picture that has it: the time from the event until a frame is drawn whose input is at least that of
// the move, plus one refresh until it is seen. Parts of it: until it is sent, until its frame has come, and until that is drawn.

/** Milliseconds of a refresh. */
const REFRESH = 1000 / 60;

interface Times {
  moved: number;
  sent: number;
  came: number | null;
}

export interface Spread {
  p50: number;
  p95: number;
  max: number;
}

export class Latency {
  /** The moves that wait, by the input that carries them. */
  private readonly waiting = new Map<number, Times>();
  private moved: number | null = null;
  private readonly all: (Times & { drawn: number })[] = [];

  /** A hand moved at this time. */
  touched(time: number): void {
    this.moved ??= time;
  }

  /** An input went off. */
  sent(sequence: number): void {
    if (this.moved === null) return;
    this.waiting.set(sequence, { moved: this.moved, sent: performance.now(), came: null });
    this.moved = null;
  }

  /** A frame came that has all input up to this. */
  came(input: number): void {
    for (const [sequence, times] of this.waiting) if (sequence <= input) times.came ??= performance.now();
  }

  /** A frame was drawn that has all input up to this. */
  drawn(input: number): void {
    for (const [sequence, times] of this.waiting) {
      if (sequence > input) continue;
      this.all.push({ ...times, drawn: performance.now() });
      this.waiting.delete(sequence);
    }
  }

  reset(): void {
    this.all.length = 0;
    this.waiting.clear();
  }

  /** Milliseconds, in all and in parts. */
  summary(): Spread & { count: number; parts: { sent: Spread; came: Spread; drawn: Spread } } {
    const { all } = this;
    return {
      count: all.length,
      ...spread(all.map(({ moved, drawn }) => drawn - moved + REFRESH)),
      parts: {
        sent: spread(all.map(({ moved, sent }) => sent - moved)),
        came: spread(all.map(({ sent, came, drawn }) => (came ?? drawn) - sent)),
        drawn: spread(all.map(({ came, drawn }) => drawn - (came ?? drawn))),
      },
    };
  }
}

function spread(times: number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(Math.floor(part * sorted.length), sorted.length - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}
