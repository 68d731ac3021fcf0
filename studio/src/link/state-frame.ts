// State frames of live sessions; their layout is documented in docs/studio-protocol.md.

import { VERSION } from './envelope';

export interface Pose {
  id: number;
  position: [number, number, number];
  orientation: [number, number, number, number];
}

export interface StateFrame {
  sequence: number;
  /** Sequence of the newest input in it. */
  input: number;
  revision: number;
  tick: number;
  /** Simulated seconds in a second. */
  speed: number;
  /** Microseconds of the last step. */
  step: number;
  positions: Map<number, Float32Array>;
  poses: Map<number, Pose[]>;
  scalars: Map<number, Float32Array>;
}

const HEADER = 32;
const BLOCK = 16;

export function isStateFrame(buffer: ArrayBuffer): boolean {
  return buffer.byteLength >= HEADER && new DataView(buffer).getUint8(5) === 5;
}

export function decodeStateFrame(buffer: ArrayBuffer): StateFrame {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER || view.getUint32(0) !== 0x53454747 || view.getUint8(4) !== VERSION) throw new Error(`not a frame of version ${VERSION}`);
  const word = (at: number) => view.getUint32(at, true);
  const frame: StateFrame = {
    sequence: word(8), input: word(12), revision: word(16), tick: word(20), speed: view.getFloat32(24, true), step: word(28),
    positions: new Map(), poses: new Map(), scalars: new Map(),
  };
  let at = HEADER;
  for (let left = view.getUint16(6, true); left > 0; left--) {
    if (at + BLOCK > buffer.byteLength) throw new Error('the frame is cut off');
    const [kind, encoding] = [view.getUint8(at), view.getUint8(at + 1)];
    const [object, count, bytes] = [word(at + 4), word(at + 8), word(at + 12)];
    const from = at + BLOCK;
    if (from + bytes > buffer.byteLength) throw new Error('the frame is cut off');
    if (kind === 1) frame.positions.set(object, encoding === 1 ? quantised(buffer, from, count) : new Float32Array(buffer, from, 3 * count));
    else if (kind === 3) frame.poses.set(object, poses(view, from, count));
    else if (kind === 4) frame.scalars.set(object, new Float32Array(buffer, from, count));
    at = from + Math.ceil(bytes / 4) * 4;
  }
  return frame;
}

/** Sixteen bits a coordinate, in a box. */
function quantised(buffer: ArrayBuffer, from: number, count: number): Float32Array {
  const [x = 0, y = 0, z = 0, w = 0, h = 0, d = 0] = new Float32Array(buffer, from, 6);
  const parts = new Uint16Array(buffer, from + 24, 3 * count);
  const positions = new Float32Array(3 * count);
  const [sx, sy, sz] = [w / 65535, h / 65535, d / 65535];
  for (let k = 0; k < positions.length; k += 3) {
    positions[k] = x + sx * (parts[k] ?? 0);
    positions[k + 1] = y + sy * (parts[k + 1] ?? 0);
    positions[k + 2] = z + sz * (parts[k + 2] ?? 0);
  }
  return positions;
}

function poses(view: DataView, from: number, count: number): Pose[] {
  const found: Pose[] = [];
  for (let k = 0; k < count; k++) {
    const at = from + 24 * k;
    const float = (offset: number) => view.getFloat32(at + offset, true);
    const part = (offset: number) => view.getInt16(at + offset, true) / 32767;
    found.push({ id: view.getUint32(at, true), position: [float(4), float(8), float(12)], orientation: [part(16), part(18), part(20), part(22)] });
  }
  return found;
}
