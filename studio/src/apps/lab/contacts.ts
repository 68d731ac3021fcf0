// The contacts on the stage: closest points, the segment between them, normals and tangents of the pair that is looked
// at; penetration in red; and where a motion makes contact.

import { Vector3 } from 'three';

import type { Contact, Contacts, Plot } from './messages';
import type { Marks } from '../../stage/marks';
import type { StageColours } from '../../stage/palette';

/** With more pairs than this, those that are far apart are not drawn. */
const MANY = 3;
const FAR = 0.9;

const [A, B, NORMAL, BACK, TANGENT] = [new Vector3(), new Vector3(), new Vector3(), new Vector3(), new Vector3()];

export function drawContacts(marks: Marks, contacts: Contacts | null, focus: Contact | null, colours: StageColours): void {
  marks.clear();
  const pairs = contacts?.pairs ?? [];
  for (const pair of pairs) {
    const { answer } = pair;
    if (!answer) continue;
    A.set(...answer.point_a);
    B.set(...answer.point_b);
    const deep = answer.status === 'penetrating';
    const looked = pair.a === focus?.a && pair.b === focus.b;
    if (!looked) {
      if (pairs.length > MANY && !deep && answer.distance > FAR) continue;
      const colour = deep ? colours.deep : colours.faint;
      marks.line(A, B, colour, 1.6, 0.7);
      marks.dot(A, colour, 2.6, 0.8);
      marks.dot(B, colour, 2.6, 0.8);
      continue;
    }
    const colour = deep ? colours.deep : colours.near;
    NORMAL.set(...answer.normal);
    BACK.copy(NORMAL).negate();
    marks.line(A, B, colour, 3);
    for (const [point, outward] of [[A, NORMAL], [B, BACK]] as const) {
      marks.dot(point, colour, 5.2);
      marks.ring(point, NORMAL, colour, 20, 0.8);
      marks.arrow(point, outward, colour, 46);
      for (const tangent of answer.tangents) marks.tick(point, TANGENT.set(...tangent), colour, 20, 0.55);
    }
  }
}

/** The places where the bodies of a motion come into contact. */
export function drawImpacts(marks: Marks, plot: Plot | null, colours: StageColours): void {
  marks.clear();
  for (const { point, normal } of plot?.impacts ?? []) {
    A.set(...point);
    NORMAL.set(...normal);
    marks.dot(A, colours.impact, 3.4, 0.9);
    marks.ring(A, NORMAL, colours.impact, 11, 0.9);
    marks.ring(A, NORMAL, colours.impact, 14, 0.5);
  }
}
