import { describe, expect, it } from 'vitest';

import { VERSION } from '../../src/link/envelope';
import { decodeFrames, encodeUpload } from '../../src/link/geometry';

/** A frame written by hand from the documented layout: one triangle with normals along +z and -z. */
function triangle(id: number, index: number): Uint8Array {
  const bytes = new Uint8Array(48 + 20 + 12 + 8);
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('SEGG'));
  view.setUint8(4, VERSION);
  view.setUint8(5, 1);
  [id, index, 3, 1].forEach((word, k) => { view.setUint32(8 + 4 * k, word, true); });
  [-1, 0, 5, 2, 3, 0].forEach((float, k) => { view.setFloat32(24 + 4 * k, float, true); });
  [0, 0, 0, 65535, 0, 0, 32768, 65535, 0].forEach((part, k) => { view.setUint16(48 + 2 * k, part, true); });
  // Octahedral: (0, 0) is +z, (1, 1) is -z, (1, 0) is +x.
  [0, 0, 32767, 32767, 32767, 0].forEach((part, k) => { view.setInt16(68 + 2 * k, part, true); });
  [0, 1, 2].forEach((corner, k) => { view.setUint16(80 + 2 * k, corner, true); });
  return bytes;
}

describe('geometry frames', () => {
  it('are decoded as documented', () => {
    const [frame] = decodeFrames(triangle(7, 9).buffer as ArrayBuffer);
    expect(frame).toMatchObject({ kind: 'body', id: 7, index: 9 });
    const positions = Array.from(frame?.positions ?? []);
    [-1, 0, 5, 1, 0, 5, 0, 3, 5].forEach((expected, k) => { expect(positions[k]).toBeCloseTo(expected, 4); });
    const normals = Array.from(frame?.normals ?? []);
    [0, 0, 1, 0, 0, -1, 1, 0, 0].forEach((expected, k) => { expect(normals[k]).toBeCloseTo(expected, 4); });
    expect(Array.from(frame?.triangles ?? [])).toEqual([0, 1, 2]);
  });

  it('have long indices where there are many vertices', () => {
    const short = triangle(1, 0);
    const bytes = new Uint8Array(80 + 12);
    bytes.set(short.slice(0, 80));
    bytes[6] = 4;
    [0, 1, 2].forEach((corner, k) => { new DataView(bytes.buffer).setUint32(80 + 4 * k, corner, true); });
    const [frame] = decodeFrames(bytes.buffer);
    expect(frame?.triangles).toEqual(new Uint32Array([0, 1, 2]));
    expect(() => decodeFrames(bytes.slice(0, 90).buffer)).toThrow('cut off');
  });

  it('come several to a message', () => {
    const both = new Uint8Array([...triangle(1, 0), ...triangle(2, 1)]);
    expect(decodeFrames(both.buffer).map((frame) => frame.id)).toEqual([1, 2]);
  });

  it('are refused when cut off or of another version', () => {
    const whole = triangle(1, 0);
    for (const length of [1, 47, 60, whole.length - 1]) {
      expect(() => decodeFrames(whole.slice(0, length).buffer)).toThrow('cut off');
    }
    const other = triangle(1, 0);
    other[4] = VERSION + 1;
    expect(() => decodeFrames(other.buffer as ArrayBuffer)).toThrow('version');
  });
});

describe('uploads', () => {
  it('are laid out as documented', () => {
    const bytes = new Uint8Array(encodeUpload(0x01020304, 'é.obj', new Uint8Array([9, 8])));
    expect(Array.from(bytes)).toEqual([83, 69, 71, 71, VERSION, 3, 6, 0, 4, 3, 2, 1, 0xc3, 0xa9, 46, 111, 98, 106, 9, 8]);
  });
});
