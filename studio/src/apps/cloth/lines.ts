// Cloth Table as lines on a plain canvas, seen from above: what the live path costs by itself, on a machine whose graphics card is
// its processor. The address `#/cloth-table?lines` shows it.

import { Link } from '../../link/link';
import type { StateFrame } from '../../link/state-frame';
import { Latency } from '../../link/latency';
import { APP, APP_VERSION, type Edit, type Facts, type State } from './messages';

/** What Cloth Table and its session say. */
export interface ClothMessages {
  Facts: Facts;
  Edit: Edit;
  Ask: never;
  Answer: never;
  State: State;
  Event: never;
}

const [CLOTH, BODY] = [1, 2];
/** Metres of the table that are seen. */
const SEEN = 3;

export class ClothLines {
  readonly latency = new Latency();
  readonly link: Link<ClothMessages>;
  /** Frames that came, and the newest. */
  received = 0;
  newest: StateFrame | null = null;
  frames = 0;
  private drawn: StateFrame | null = null;
  private side = 0;
  private running = true;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d');
    this.link = new Link<ClothMessages>({ name: APP, version: APP_VERSION }, {
      welcome: ({ table }) => {
        this.side = table.side;
        this.link.edit(1, { set: { table } });
      },
      frame: (frame) => {
        this.newest = frame;
        this.received += 1;
        this.latency.came(frame.input);
      },
    });
    // Told as soon as it happens where that can be had, and not with the next frame.
    canvas.addEventListener('onpointerrawupdate' in canvas ? 'pointerrawupdate' : 'pointermove', (event) => {
      if (event instanceof PointerEvent && event.buttons !== 0) this.carry(event);
    });
    const tick = () => {
      if (!this.running) return;
      requestAnimationFrame(tick);
      if (this.newest) this.link.input.shown(this.newest.sequence);
      this.latency.sent(this.link.input.flush());
      if (context && this.newest && this.newest !== this.drawn) this.draw(context, this.newest);
    };
    requestAnimationFrame(tick);
  }

  /** The frame that is on the screen. */
  get shown(): number {
    return this.drawn?.sequence ?? 0;
  }

  dispose(): void {
    this.running = false;
    this.link.close();
  }

  /** The body goes under the pointer. */
  private carry(event: PointerEvent): void {
    const { width, height, left, top } = this.canvas.getBoundingClientRect();
    const metres = SEEN / Math.min(width, height);
    const values: [number, number, number] = [(event.clientX - left - width / 2) * metres, (top + height / 2 - event.clientY) * metres, 0];
    this.link.input.move({ control: 0, object: BODY, values });
    this.latency.touched(event.timeStamp);
    const sequence = this.link.input.hurry();
    if (sequence !== null) this.latency.sent(sequence);
  }

  private draw(context: CanvasRenderingContext2D, frame: StateFrame): void {
    const { canvas, side } = this;
    if (canvas.width !== canvas.clientWidth || canvas.height !== canvas.clientHeight) {
      Object.assign(canvas, { width: canvas.clientWidth, height: canvas.clientHeight });
    }
    const scale = Math.min(canvas.width, canvas.height) / SEEN;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(scale, 0, 0, -scale, canvas.width / 2, canvas.height / 2);
    context.lineWidth = 1 / scale;
    const at = frame.positions.get(CLOTH) ?? new Float32Array();
    context.strokeStyle = '#3b8ea5';
    context.beginPath();
    // Along the rows and along the columns, every fourth of them.
    for (let line = 0; line < side; line += 4) {
      for (const [first, step] of [[line * side, 1], [line, side]] as const) {
        for (let k = 0; k < side; k++) {
          const vertex = 3 * (first + k * step);
          if (k === 0) context.moveTo(at[vertex] ?? 0, at[vertex + 1] ?? 0);
          else context.lineTo(at[vertex] ?? 0, at[vertex + 1] ?? 0);
        }
      }
    }
    context.stroke();
    const [pose] = frame.poses.get(BODY) ?? [];
    if (pose) {
      context.fillStyle = '#f0a330';
      context.beginPath();
      context.arc(pose.position[0], pose.position[1], 0.05, 0, 2 * Math.PI);
      context.fill();
    }
    this.drawn = frame;
    this.frames += 1;
    this.latency.drawn(frame.input);
  }
}
