import { Ray, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import { alongLine, angleAbout, fingerChange, onPlane, turned, twoFingers } from '../../src/input/drag';
import type { Body } from '../../src/shapes/body';
import { pathOf, scaleOf, type ChartCurve } from '../../src/ui/chart';
import { duration, metres, readable, short } from '../../src/ui/format';
import { dragHandle, Handles, tapered } from '../../src/widgets/handles';

const body: Body = {
  id: 1, name: 'egg', type: 'superellipsoid', radii: [1, 2, 3], exponents: [1, 1], position: [0, 0, 0], orientation: [0, 0, 0, 1],
};
/** A ray that comes down on a point of the plane z = 0. */
const down = (x: number, y: number) => new Ray(new Vector3(x, y, 10), new Vector3(0, 0, -1));
const view = new Vector3(0, 0, -1);

describe('rays', () => {
  it('find the closest place on a line', () => {
    const ray = new Ray(new Vector3(3, -5, 1), new Vector3(0, 1, 0));
    expect(alongLine(ray, new Vector3(), new Vector3(1, 0, 0))).toBeCloseTo(3);
    expect(alongLine(ray, new Vector3(), new Vector3(0, 1, 0))).toBeNull();
  });

  it('turn about an axis by the angle on its plane', () => {
    const angle = angleAbout(new Vector3(), new Vector3(0, 0, 1), new Vector3(1, 0, 5), new Vector3(0, 2, -3));
    expect(angle).toBeCloseTo(Math.PI / 2);
    const [, , z, w] = turned([0, 0, 0, 1], new Vector3(0, 0, 1), angle);
    expect([z, w]).toEqual([expect.closeTo(Math.SQRT1_2), expect.closeTo(Math.SQRT1_2)]);
    expect(onPlane(down(1, 2), new Vector3(), view)?.toArray()).toEqual([1, 2, 0]);
  });
});

describe('handles', () => {
  it('move along their axis only', () => {
    const moved = dragHandle(body, { kind: 'move', axis: 0, axes: 'world' }, down(0, 0), down(1.5, 4), view);
    expect(moved.position).toEqual([1.5, 0, 0]);
  });

  it('cannot be caught by their end, where a hand could not say how far', () => {
    const handles = new Handles();
    const caught = (tool: 'move' | 'turn' | 'shape', sight: Vector3) => {
      handles.show(body, tool);
      handles.resize(() => 0.01, () => sight);
      return handles.targets.map(({ userData }) => (userData['handle'] as { kind: string; axis: number }).axis);
    };
    expect(caught('move', new Vector3(0, 0, -1))).toEqual([0, 1]);
    expect(caught('move', new Vector3(1, 0, 0))).toEqual([1, 2]);
    expect(caught('move', new Vector3(1, 1, 1).normalize())).toEqual([0, 1, 2]);
    // Rings are seen best like this; of the shape's knobs one radius and one taper lie along the view.
    expect(caught('turn', new Vector3(0, 0, -1))).toEqual([0, 1, 2]);
    expect(caught('shape', new Vector3(1, 0, 0))).toEqual([1, 2, 1]);
  });

  it('change one radius, within its range', () => {
    const grown = dragHandle(body, { kind: 'radius', axis: 1 }, down(0, 2), down(0, 2.5), view);
    expect(grown.radii).toEqual([1, 2.5, 3]);
    const least = dragHandle(body, { kind: 'radius', axis: 1 }, down(0, 2), down(0, -9), view);
    expect(least.radii?.[1]).toBeGreaterThan(0);
  });

  it('change one length of a box, a cone or a rounded edge where the body ends', () => {
    const place = { id: 1, name: '', position: [0, 0, 0] as [number, number, number], orientation: [0, 0, 0, 1] as [number, number, number, number] };
    const box: Body = { ...place, type: 'box', half_extents: [1, 2, 3], rounding: 0.5 };
    expect(dragHandle(box, { kind: 'size', axis: 1, index: 1 }, down(0, 2.5), down(0, 2.75), view).half_extents).toEqual([1, 2.25, 3]);
    // Rounding is pulled outwards on the other side.
    expect(dragHandle(box, { kind: 'size', axis: 0, index: 3 }, down(-1.5, 0), down(-1.75, 0), view).rounding).toBe(0.75);
    expect(dragHandle(box, { kind: 'size', axis: 0, index: 3 }, down(-1.5, 0), down(4, 0), view).rounding).toBe(0);
    const cone: Body = { ...place, type: 'cone', radius: 1, half_height: 1 };
    expect(dragHandle(cone, { kind: 'size', axis: 0, index: 0 }, down(1, 0), down(1.5, 0), view).radius).toBe(1.5);
    const handles = new Handles();
    handles.show(box, 'shape');
    expect(handles.placeOf('size', 2)?.toArray()).toEqual([0, 0, 3.5]);
    handles.show({ ...place, type: 'hull', points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }, 'shape');
    expect(handles.placeOf('vertex', 0)?.toArray()).toEqual([0, 0, 0]);
  });

  it('make a superovoid of a tapered body and back', () => {
    const egg = dragHandle(body, { kind: 'taper', axis: 0 }, down(1, 0), down(1.25, 0), view);
    expect(egg).toMatchObject({ type: 'superovoid', taper: [0.25, 0] });
    expect(tapered(egg, [0, 0])).toEqual(body);
    expect('taper' in tapered(egg, [0, 0])).toBe(false);
  });

  it('turn a ring as far as the pointer goes round', () => {
    const spun = dragHandle(body, { kind: 'turn', axis: 2 }, down(1, 0), down(0, 1), view);
    expect(spun.orientation[2]).toBeCloseTo(Math.SQRT1_2);
  });
});

describe('two fingers', () => {
  it('shift, spread and turn the shorter way round', () => {
    const from = twoFingers({ x: 0, y: 0 }, { x: 10, y: 0 });
    const to = twoFingers({ x: 5, y: 5 }, { x: 5, y: 25 });
    expect(fingerChange(from, to)).toEqual({ dx: 0, dy: 15, scale: 2, turn: expect.closeTo(Math.PI / 2) as number });
    const nearly = twoFingers({ x: 0, y: 0 }, { x: -10, y: 0.1 });
    const past = twoFingers({ x: 0, y: 0 }, { x: -10, y: -0.1 });
    expect(Math.abs(fingerChange(nearly, past).turn)).toBeLessThan(0.03);
  });
});

describe('charts', () => {
  const curve: ChartCurve = { name: 'd', values: [1, null, -1, 0.5], log: false, signed: true, format: short };

  it('contain zero where the sign matters, and break where there is no value', () => {
    const { low, high } = scaleOf({ ...curve, values: [2, 3] });
    expect([low, high]).toEqual([0, 3]);
    expect(pathOf(curve, [0, 1, 2, 3]).match(/M/g)).toHaveLength(2);
  });

  it('have a scale for no values, equal values and powers of ten', () => {
    for (const values of [[], [null], [4, 4]]) {
      const { toY } = scaleOf({ ...curve, signed: false, values });
      expect(Number.isFinite(toY(4))).toBe(true);
    }
    const { toY } = scaleOf({ ...curve, signed: false, log: true, values: [1e-9, 1] });
    expect(toY(10 ** -4.5)).toBeCloseTo(50);
  });
});

describe('numbers', () => {
  it('are written for people', () => {
    expect(metres(-0.208838905)).toBe('−0.208\u2009838\u2009905');
    expect(metres(1e-12)).toBe('1.0000e−12');
    expect(metres(NaN)).toBe('–');
    expect([duration(950), duration(2034), duration(3.5e6)]).toEqual(['950 ns', '2.03 µs', '3.5 ms']);
    expect([short(0), short(1234.5), short(-2e-10)]).toEqual(['0', '1230', '−2.0e−10']);
  });
});

describe('distances as people read them', () => {
  it('have four digits that count and a unit that fits', () => {
    expect(readable(1.23456789)).toEqual({ number: '1.235', unit: 'm' });
    expect(readable(-0.0123456)).toEqual({ number: '−12.35', unit: 'mm' });
    expect(readable(3.2e-6)).toEqual({ number: '3.2', unit: 'µm' });
    expect(readable(0)).toEqual({ number: '0', unit: 'm' });
    expect(readable(NaN).number).toBe('–');
  });
});
