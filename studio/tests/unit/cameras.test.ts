// The ways of looking: what a drag, a pinch and a frame do to each.

import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import { Follow, Orbit, Orthographic, type Rig } from '../../src/stage/camera';

const HEIGHT = 400;

/** Where a point is in a view of 600 by 400 pixels, from its middle. */
function seen(rig: Rig, point: Vector3): { x: number; y: number } {
  const { x, y } = point.clone().project(rig.camera);
  return { x: 300 * x, y: -200 * y };
}

function sized<R extends Rig>(rig: R): R {
  rig.resize(600, HEIGHT, { right: 0, bottom: 0 });
  return rig;
}

describe('a view without perspective', () => {
  const top = () => sized(new Orthographic(new Vector3(0, 0, -1), new Vector3(0, 1, 0)));

  it('shows a ball as a whole, and depth makes no difference', () => {
    const rig = top();
    const center = new Vector3(3, -2, 1);
    rig.frame(center, 2);
    expect(Math.hypot(seen(rig, center).x, seen(rig, center).y)).toBeLessThan(1e-9);
    const edge = seen(rig, center.clone().add(new Vector3(0, 2, 0)));
    expect(edge.y).toBeLessThan(-170);
    expect(edge.y).toBeGreaterThan(-200);
    const deep = seen(rig, center.clone().add(new Vector3(0, 2, 50)));
    expect(deep.y).toBeCloseTo(edge.y, 9);
  });

  it('shifts with the hand and comes closer, whatever is dragged', () => {
    const rig = top();
    rig.frame(new Vector3(), 2);
    const point = new Vector3(1, 0.5, -3);
    const before = seen(rig, point);
    for (const shift of ['drag', 'shift'] as const) {
      rig[shift](30, -20, HEIGHT);
    }
    const after = seen(rig, point);
    expect([after.x - before.x, after.y - before.y]).toEqual([expect.closeTo(60, 6), expect.closeTo(-40, 6)]);
    const size = rig.metresPerPixel(HEIGHT);
    rig.zoom(2);
    expect(rig.metresPerPixel(HEIGHT)).toBeCloseTo(size / 2, 12);
    // Never nothing, never everything.
    for (let k = 0; k < 100; k++) rig.zoom(10);
    expect(rig.metresPerPixel(HEIGHT)).toBeGreaterThan(0);
    for (let k = 0; k < 100; k++) rig.zoom(0.1);
    expect(rig.metresPerPixel(HEIGHT)).toBeLessThan(1000);
  });
});

describe('a view that follows', () => {
  it('keeps what it follows in the middle, without a jump', () => {
    const leader = new Vector3();
    const rig = sized(new Follow(() => leader, new Vector3(-3, 0, 2)));
    leader.set(1, 0, 0);
    let last = rig.target.x;
    rig.glide(0);
    for (let now = 16; now < 2000; now += 16) {
      rig.glide(now);
      expect(rig.target.x - last).toBeLessThan(0.12);
      expect(rig.target.x).toBeGreaterThanOrEqual(last);
      last = rig.target.x;
    }
    expect(seen(rig, leader).x).toBeCloseTo(0, 1);
    expect(rig.glide(2016)).toBe(false);
  });

  it('goes round it and comes closer', () => {
    const rig = sized(new Follow(() => new Vector3(), new Vector3(-3, 0, 2)));
    const { distance } = rig;
    rig.drag(100);
    expect(rig.distance).toBeCloseTo(distance, 9);
    expect(rig.camera.position.z).toBeCloseTo(2, 9);
    expect(Math.abs(rig.camera.position.y)).toBeGreaterThan(1);
    rig.zoom(2);
    expect(rig.distance).toBeCloseTo(distance / 2, 9);
  });
});

describe('a view that goes round', () => {
  it('turns with a drag and with two fingers, and sees a ball as a whole', () => {
    const rig = sized(new Orbit());
    const { azimuth } = rig;
    rig.drag(10, 0);
    expect(rig.azimuth).toBeLessThan(azimuth);
    rig.twist(0.5);
    expect(rig.azimuth).toBeCloseTo(azimuth - 0.08 + 0.5, 9);
    rig.frame(new Vector3(1, 2, 3), 2, false);
    const { up } = { up: new Vector3().setFromMatrixColumn(rig.camera.matrixWorld, 1) };
    const edge = seen(rig, new Vector3(1, 2, 3).addScaledVector(up, 2));
    expect(edge.y).toBeGreaterThan(-200);
    expect(edge.y).toBeLessThan(-150);
  });

  it('does not go on gliding when it is told to look elsewhere', () => {
    const rig = sized(new Orbit());
    rig.frame(new Vector3(5, 0, 0), 2, true);
    expect(rig.glide(performance.now())).toBe(true);
    rig.frame(new Vector3(0, 7, 0), 2, false);
    expect(rig.glide(performance.now() + 1000)).toBe(false);
    expect(rig.target.toArray()).toEqual([0, 7, 0]);
  });
});
