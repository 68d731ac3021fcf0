import { describe, expect, it } from 'vitest';

import { coarser, drapeOf } from '../../src/apps/terrain/difference';
import { fromBase64 } from '../../src/document/files';
import { LONGEST_LINK, packed, unpacked } from '../../src/document/share';

/** A cloth of side × side vertices over two metres, in waves. */
function waves(side: number): Float32Array {
  const positions = new Float32Array(3 * side * side);
  for (let j = 0; j < side; j++) {
    for (let i = 0; i < side; i++) {
      const [x, y] = [(2 * i) / (side - 1) - 1, (2 * j) / (side - 1) - 1];
      positions.set([x, y, 0.3 + 0.2 * Math.sin(7 * x) * Math.cos(5 * y)], 3 * (i + side * j));
    }
  }
  return positions;
}

describe('how a cloth lies in a link', () => {
  it('is sampled evenly from corner to corner, and never made finer', () => {
    const fine = waves(161);
    const some = coarser(fine, 41);
    expect(some.length).toBe(3 * 41 * 41);
    const known = waves(41);
    expect(some.every((value, k) => Math.abs(value - (known[k] ?? NaN)) < 1e-6)).toBe(true);
    expect(coarser(known, 41)).toBe(known);
    expect(coarser(known, Infinity)).toBe(known);
  });

  it('fits a link with 41 vertices a side, and comes back as it was', async () => {
    const drape = drapeOf(waves(41), [[-2, -2, -0.5], [4, 4, 4]]);
    expect(fromBase64(drape).length).toBe(6 * 41 * 41);
    const text = await packed({ drape });
    expect(text.length).toBeLessThan(LONGEST_LINK - 1000);
    expect(await unpacked(text)).toEqual({ drape });
  });
});
