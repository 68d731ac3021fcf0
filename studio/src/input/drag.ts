// What a pointer's ray means for what is dragged.

import { Plane, Quaternion, Ray, Vector3 } from 'three';

/** How far along a line the ray comes closest to it; null when they are nearly parallel. */
export function alongLine(ray: Ray, origin: Vector3, direction: Vector3): number | null {
  const between = origin.clone().sub(ray.origin);
  const [b, d, e] = [direction.dot(ray.direction), direction.dot(between), ray.direction.dot(between)];
  const denominator = 1 - b * b;
  if (denominator < 1e-4) return null;
  return (b * e - d) / denominator;
}

/** Where the ray meets the plane through a point across a direction. */
export function onPlane(ray: Ray, point: Vector3, normal: Vector3): Vector3 | null {
  return ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, point), new Vector3());
}

/** The angle from one point to another about an axis, in ]-π, π]. */
export function angleAbout(center: Vector3, axis: Vector3, from: Vector3, to: Vector3): number {
  const a = from.clone().sub(center).projectOnPlane(axis);
  const b = to.clone().sub(center).projectOnPlane(axis);
  return Math.atan2(a.clone().cross(b).dot(axis), a.dot(b));
}

/** An orientation turned about an axis of the world. */
export function turned(orientation: readonly [number, number, number, number], axis: Vector3, angle: number): [number, number, number, number] {
  const turn = new Quaternion().setFromAxisAngle(axis, angle);
  const { x, y, z, w } = turn.multiply(new Quaternion(...orientation)).normalize();
  return [x, y, z, w];
}

export interface TwoFingers {
  x: number;
  y: number;
  /** Distance between the fingers. */
  spread: number;
  /** Of the line between them, in radians, clockwise on the screen. */
  angle: number;
}

export function twoFingers(a: { x: number; y: number }, b: { x: number; y: number }): TwoFingers {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, spread: Math.max(Math.hypot(dx, dy), 1), angle: Math.atan2(dy, dx) };
}

/** The change between two states of two fingers; the turn is the shorter way round. */
export function fingerChange(from: TwoFingers, to: TwoFingers): { dx: number; dy: number; scale: number; turn: number } {
  const turn = Math.atan2(Math.sin(to.angle - from.angle), Math.cos(to.angle - from.angle));
  return { dx: to.x - from.x, dy: to.y - from.y, scale: to.spread / from.spread, turn };
}
