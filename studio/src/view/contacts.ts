// The contacts on the stage: closest points, the segment between them, normals and tangents of the pair that is looked
// at; penetration in red.

import { Vector3 } from 'three';

import type { Contact, Contacts } from '../protocol/messages';
import type { Marks } from './marks';
import type { StageColours } from './palette';

/** Pairs farther apart than this many times the closest distance are not drawn when there are many. */
const MANY = 3;

export function drawContacts(marks: Marks, contacts: Contacts | null, focus: Contact | null, colours: StageColours): void {
  marks.clear();
  const pairs = contacts?.pairs ?? [];
  for (const pair of pairs) {
    const { answer } = pair;
    if (!answer) continue;
    const [a, b] = [new Vector3(...answer.point_a), new Vector3(...answer.point_b)];
    const deep = answer.status === 'penetrating';
    const colour = deep ? colours.deep : colours.near;
    const looked = pair.a === focus?.a && pair.b === focus.b;
    if (!looked) {
      if (pairs.length > MANY && !deep && answer.distance > 0.9) continue;
      marks.line(a, b, deep ? colours.deep : colours.faint, 1.6, 0.7);
      marks.dot(a, deep ? colours.deep : colours.faint, 2.6, 0.8);
      marks.dot(b, deep ? colours.deep : colours.faint, 2.6, 0.8);
      continue;
    }
    const normal = new Vector3(...answer.normal);
    marks.line(a, b, colour, 3);
    for (const [point, outward] of [[a, normal], [b, normal.clone().negate()]] as const) {
      marks.dot(point, colour, 5.2);
      marks.ring(point, normal, colour, 20, 0.8);
      marks.arrow(point, outward, colour, 46);
      for (const tangent of answer.tangents) marks.tick(point, new Vector3(...tangent), colour, 20, 0.55);
    }
  }
}
