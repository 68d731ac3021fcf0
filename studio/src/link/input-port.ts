// What hands do, on its way to a live session: one message an animation frame. Of moves the latest goes, of presses, releases
// and cancels every one, in order. Each message also tells which frame is on the screen.

import { VERSION } from './envelope';

export interface Control {
  control: number;
  object?: number;
  /** A place in the world, and three more numbers. */
  values: [number, number, number, number?, number?, number?];
}

interface Waiting extends Control {
  phase: 0 | 1 | 2 | 3;
}

/** Records of a message at most. */
const MOST = 64;

export class InputPort {
  private sequence = 0;
  private waiting: Waiting[] = [];
  /** Something went before its frame. */
  private hurried = false;
  /** Last frame on the screen. */
  private drawn = 0;

  constructor(private readonly send: (message: ArrayBuffer) => boolean) {}

  /** The hand takes hold; returns the sequence that will carry it. */
  press(control: Control): number {
    return this.push({ ...control, phase: 1 });
  }

  move(control: Control): number {
    const last = this.waiting.findLast((other) => other.control === control.control);
    if (last?.phase === 0) {
      Object.assign(last, control);
      return this.sequence + 1;
    }
    return this.push({ ...control, phase: 0 });
  }

  release(control: Control): number {
    return this.push({ ...control, phase: 2 });
  }

  cancel(control: number): number {
    return this.push({ control, values: [0, 0, 0], phase: 3 });
  }

  /** Whether something has not gone yet. */
  get waits(): boolean {
    return this.waiting.length > 0;
  }

  /** A frame was drawn. */
  shown(sequence: number): void {
    this.drawn = sequence;
  }

  /** What waits goes at once instead of with the next frame, but only once a frame; its sequence, if it went. */
  hurry(): number | null {
    if (this.hurried) return null;
    const sequence = this.flush();
    this.hurried = true;
    return sequence;
  }

  /** Once an animation frame. */
  flush(): number {
    this.hurried = false;
    const records = this.waiting.slice(0, MOST);
    if (!this.send(encodeInput(this.sequence + 1, this.drawn, records))) return this.sequence;
    this.waiting = this.waiting.slice(records.length);
    this.sequence += 1;
    return this.sequence;
  }

  /** The connection was lost: what was held is let go. */
  reset(): void {
    this.waiting = [];
    this.drawn = 0;
  }

  private push(control: Waiting): number {
    this.waiting.push(control);
    return this.sequence + 1;
  }
}

export function encodeInput(sequence: number, drawn: number, records: (Control & { phase: number })[]): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(16 + 32 * records.length));
  view.setUint32(0, 0x53454747);
  view.setUint8(4, VERSION);
  view.setUint8(5, 4);
  view.setUint16(6, records.length, true);
  view.setUint32(8, sequence, true);
  view.setUint32(12, drawn, true);
  for (const [index, { control, phase, object, values }] of records.entries()) {
    const at = 16 + 32 * index;
    view.setUint8(at, control);
    view.setUint8(at + 1, phase);
    view.setUint32(at + 4, object ?? 0, true);
    for (let k = 0; k < 6; k++) view.setFloat32(at + 8 + 4 * k, values[k] ?? 0, true);
  }
  return view.buffer;
}
