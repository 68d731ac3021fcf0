// A method's trace on the stage: the chosen step, with what came before it fading.

import { Quaternion, Vector3 } from 'three';

import type { Drawing, Role, Trace } from './messages';
import type { Marks } from '../../stage/marks';

/** Seen on every body's own colour. */
const ROLES: Record<Role, string> = {
  a: '#d6249f',
  b: '#9be000',
  answer: '#0097b8',
  candidate: '#8f6bb3',
  chosen: '#4a78d6',
  final: '#16a06a',
};

/** Steps that are still seen behind the chosen one. */
const MEMORY = 12;

export function drawTrace(marks: Marks, trace: Trace | null, step: number): void {
  marks.clear();
  if (!trace) return;
  for (let index = Math.max(0, step - MEMORY); index <= step; index++) {
    const age = step - index;
    const strength = age === 0 ? 1 : 0.55 * (1 - age / (MEMORY + 1));
    for (const drawing of trace.steps[index]?.drawings ?? []) draw(marks, drawing, age === 0, strength);
  }
}

function draw(marks: Marks, drawing: Drawing, present: boolean, strength: number): void {
  if ('point' in drawing) {
    const { at, role } = drawing.point;
    marks.dot(new Vector3(...at), ROLES[role], present ? 4.5 : 3, strength);
  } else if ('line' in drawing) {
    const points = drawing.line.points.map((point) => new Vector3(...point));
    for (const [index, to] of points.entries()) {
      const from = points[index - 1];
      if (from) marks.line(from, to, ROLES[drawing.line.role], present ? 2.8 : 1.2, strength);
    }
  } else if ('arrow' in drawing) {
    // Arrows of earlier steps would hide the present one.
    if (!present) return;
    const { at, direction, role } = drawing.arrow;
    marks.arrow(new Vector3(...at), new Vector3(...direction).normalize(), ROLES[role], 44, strength);
  } else if ('edges' in drawing) {
    if (present) marks.edges(drawing.edges.points, ROLES[drawing.edges.role], 0.85);
  } else {
    const { center, half, orientation, role } = drawing.cell;
    marks.box(new Vector3(...center), new Vector3(...half), new Quaternion(...orientation), ROLES[role], 0.8 * strength);
  }
}
