// Steps that drags go by while snapping is on, or while Ctrl is held: a tenth of a metre, 15 degrees.

import { Quaternion, Vector3 } from 'three';

const LENGTH = 0.1;
const ANGLE = Math.PI / 12;

type Triple = [number, number, number];
type Quad = [number, number, number, number];

/** A place on a grid; components that did not move stay where they are. */
export function snappedPlace(to: Triple, from: Triple): Triple {
  const snapped = (axis: 0 | 1 | 2) => (Math.abs(to[axis] - from[axis]) < 1e-9 ? to[axis] : Number((Math.round(to[axis] / LENGTH) * LENGTH).toFixed(6)));
  return [snapped(0), snapped(1), snapped(2)];
}

/** The turn from one orientation to another in whole steps about its axis. */
export function snappedTurn(to: Quad, from: Quad): Quad {
  const start = new Quaternion(...from).normalize();
  const turn = new Quaternion(...to).normalize().multiply(start.clone().invert());
  if (turn.w < 0) turn.set(-turn.x, -turn.y, -turn.z, -turn.w);
  const angle = 2 * Math.acos(Math.min(turn.w, 1));
  const axis = new Vector3(turn.x, turn.y, turn.z);
  if (axis.length() < 1e-9) return from;
  const { x, y, z, w } = new Quaternion().setFromAxisAngle(axis.normalize(), Math.round(angle / ANGLE) * ANGLE).multiply(start);
  return [x, y, z, w];
}
