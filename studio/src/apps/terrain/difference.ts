// The edits that turn one landscape into another, and how a cloth lies as text.

import { toBase64 } from '../../document/files';
import type { Edit, Facts, Landscape } from './messages';

/** Landscapes are immutable: what is the same object has not changed. */
export function difference(from: Landscape | null, to: Landscape, whole: boolean, drape: string | null): Edit[] {
  if (from === to) return [];
  if (from === null || whole) return [{ open: { landscape: to, ...(drape === null ? {} : { drape }) } }];
  const before = new Map(from.hills.map((hill) => [hill.id, hill]));
  const after = new Set(to.hills.map(({ id }) => id));
  return [{
    change: {
      moment: to.moment,
      hills: to.hills.filter((hill) => before.get(hill.id) !== hill),
      removed: [...before.keys()].filter((id) => !after.has(id)),
      ...(from.name === to.name ? {} : { name: to.name }),
      ...(from.settings === to.settings ? {} : { settings: to.settings }),
    },
  }];
}

/** Places as three sixteen-bit parts of a box each, in base 64. */
export function drapeOf(positions: Float32Array, [low, size]: Facts['box']): string {
  const bytes = new DataView(new ArrayBuffer(2 * positions.length));
  for (let k = 0; k < positions.length; k++) {
    const part = ((positions[k] ?? 0) - (low[k % 3] ?? 0)) / (size[k % 3] ?? 1);
    bytes.setUint16(2 * k, Math.round(Math.min(Math.max(part, 0), 1) * 65535), true);
  }
  return toBase64(new Uint8Array(bytes.buffer));
}

/** Some of the places of a square cloth, so many along each side at most, evenly. */
export function coarser(positions: Float32Array, most: number): Float32Array {
  const side = Math.round(Math.sqrt(positions.length / 3));
  if (side <= most) return positions;
  const chosen = new Float32Array(3 * most * most);
  const at = (k: number) => Math.round((k * (side - 1)) / (most - 1));
  for (let j = 0; j < most; j++) {
    for (let i = 0; i < most; i++) {
      const from = 3 * (at(i) + side * at(j));
      chosen.set(positions.subarray(from, from + 3), 3 * (i + most * j));
    }
  }
  return chosen;
}
