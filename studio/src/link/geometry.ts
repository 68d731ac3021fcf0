// Binary messages: geometry frames from the server, files of meshes to it. Their layout is documented in
// docs/studio-protocol.md.

import { VERSION } from './envelope';

export type FrameKind = 'body' | 'preview';

export interface Frame {
  kind: FrameKind;
  /** Body, or number of the request. */
  id: number;
  /** Revision, or cell of the grid. */
  index: number;
  positions: Float32Array;
  normals: Float32Array;
  triangles: Uint16Array | Uint32Array;
}

const HEADER = 48;

/** All frames of a message. */
export function decodeFrames(buffer: ArrayBuffer): Frame[] {
  const frames: Frame[] = [];
  const view = new DataView(buffer);
  let at = 0;
  while (at < buffer.byteLength) {
    if (buffer.byteLength - at < HEADER) throw new Error('the frame is cut off');
    const magic = String.fromCharCode(...new Uint8Array(buffer, at, 4));
    const version = view.getUint8(at + 4);
    if (magic !== 'SEGG' || version !== VERSION) throw new Error(`not a frame of version ${VERSION}`);
    const kind: FrameKind = view.getUint8(at + 5) === 1 ? 'body' : 'preview';
    const word = (offset: number) => view.getUint32(at + offset, true);
    const [id, index, vertices, faces] = [word(8), word(12), word(16), word(20)];
    const float = (offset: number) => view.getFloat32(at + offset, true);
    const low = [float(24), float(28), float(32)];
    const extent = [float(36), float(40), float(44)];
    const quantised = at + HEADER;
    const folded = quantised + padded(6 * vertices);
    const corners = folded + 4 * vertices;
    const long = view.getUint8(at + 6) === 4;
    const end = corners + padded((long ? 12 : 6) * faces);
    if (end > buffer.byteLength) throw new Error('the frame is cut off');
    const positions = new Float32Array(3 * vertices);
    for (let k = 0; k < positions.length; k++) {
      const part = view.getUint16(quantised + 2 * k, true) / 65535;
      positions[k] = (low[k % 3] ?? 0) + (extent[k % 3] ?? 0) * part;
    }
    const normals = new Float32Array(3 * vertices);
    for (let k = 0; k < vertices; k++) {
      unfold(view.getInt16(folded + 4 * k, true) / 32767, view.getInt16(folded + 4 * k + 2, true) / 32767, normals, 3 * k);
    }
    const triangles = long ? new Uint32Array(3 * faces) : new Uint16Array(3 * faces);
    for (let k = 0; k < triangles.length; k++) {
      triangles[k] = long ? view.getUint32(corners + 4 * k, true) : view.getUint16(corners + 2 * k, true);
    }
    frames.push({ kind, id, index, positions, normals, triangles });
    at = end;
  }
  return frames;
}

/** The message that carries a file of a mesh. */
export function encodeUpload(request: number, name: string, content: Uint8Array): ArrayBuffer {
  const letters = new TextEncoder().encode(name);
  const bytes = new Uint8Array(12 + letters.length + content.length);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('SEGG'));
  view.setUint8(4, VERSION);
  view.setUint8(5, 3);
  view.setUint16(6, letters.length, true);
  view.setUint32(8, request, true);
  bytes.set(letters, 12);
  bytes.set(content, 12 + letters.length);
  return bytes.buffer;
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 4) * 4;
}

/** The unit vector of an octahedral pair. */
function unfold(u: number, v: number, into: Float32Array, at: number): void {
  let [x, y] = [u, v];
  const z = 1 - Math.abs(u) - Math.abs(v);
  if (z < 0) {
    x = (1 - Math.abs(v)) * (u < 0 ? -1 : 1);
    y = (1 - Math.abs(u)) * (v < 0 ? -1 : 1);
  }
  const length = Math.hypot(x, y, z) || 1;
  into[at] = x / length;
  into[at + 1] = y / length;
  into[at + 2] = z / length;
}
