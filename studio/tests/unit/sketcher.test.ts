// Multibody Sketcher without a session: what hands do to joints and hitboxes, and the edits that tell it.

import { Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';

import { difference } from '../../src/apps/sketcher/difference';
import type { Articulation, Creature } from '../../src/apps/sketcher/messages';
import { asBody, fromBody, grown, mirroredTurn, otherBone, otherHitbox, withHitbox, withJoint } from '../../src/apps/sketcher/skeleton';
import { unitSuperovoid } from '../../src/shapes/superellipsoid';

const FREE: Articulation = { axes: [0, 0, 0, 1], ranges: [[-1, 1], [-1, 1], [0, 0]] };

/** A spine and two arms, with a hitbox on each arm. */
function body(): Creature {
  return {
    name: 'Body', keys: [], mirror: true, stance: { position: [0, 0, 0], orientation: [0, 0, 0, 1], turns: [] },
    joints: [{ id: 1, position: [0, 0, 0] }, { id: 2, position: [0, 0, 1] }, { id: 3, position: [0.5, 0, 1] }, { id: 4, position: [-0.5, 0, 1] }],
    bones: [
      { id: 1, name: 'spine', from: 1, to: 2, articulation: FREE },
      { id: 2, name: 'left', from: 2, to: 3, articulation: FREE },
      { id: 3, name: 'right', from: 2, to: 4, articulation: FREE },
    ],
    hitboxes: [
      { id: 1, bone: 2, position: [0.25, 0, 1], orientation: [0, Math.SQRT1_2, 0, Math.SQRT1_2], radii: [0.05, 0.05, 0.2], exponents: [1, 1], taper: [0, 0] },
      { id: 2, bone: 3, position: [-0.25, 0, 1], orientation: mirroredTurn([0, Math.SQRT1_2, 0, Math.SQRT1_2]), radii: [0.05, 0.05, 0.2], exponents: [1, 1], taper: [0, 0] },
    ],
  };
}

describe('a creature under hands', () => {
  it('has images on the other side', () => {
    const creature = body();
    expect(creature.bones.map((bone) => otherBone(creature, bone)?.name)).toEqual([undefined, 'right', 'left']);
    expect(creature.hitboxes.map((hitbox) => otherHitbox(creature, hitbox)?.id)).toEqual([2, 1]);
  });

  it('takes hitboxes along with a joint, on both sides', () => {
    const moved = withJoint(body(), 3, new Vector3(0, 0, 2));
    // The arm now points up and is twice as long: so is its hitbox.
    const [one, other] = moved.hitboxes;
    expect(one?.position.map((part) => Number(part.toFixed(6)) + 0)).toEqual([0, 0, 1.5]);
    expect(one?.radii[2]).toBeCloseTo(0.4);
    const along = new Vector3(0, 0, 1).applyQuaternion(new Quaternion(...(one?.orientation ?? [0, 0, 0, 1])));
    expect(Math.abs(along.z)).toBeCloseTo(1);
    expect(moved.joints[3]?.position.map((part) => part + 0)).toEqual([0, 0, 2]);
    expect(other?.radii[2]).toBeCloseTo(0.4);
    // Without the mirror the other side stays.
    expect(withJoint({ ...body(), mirror: false }, 3, new Vector3(0, 0, 2)).joints[3]?.position).toEqual([-0.5, 0, 1]);
  });

  it('keeps mirrored hitboxes mirror images', () => {
    const changed = withHitbox(body(), 1, (hitbox) => ({ ...hitbox, position: [0.3, 0.1, 1], exponents: [0.4, 0.6] }), null);
    expect(changed.hitboxes[1]).toMatchObject({ id: 2, bone: 3, position: [-0.3, 0.1, 1], exponents: [0.4, 0.6] });
    const larger = grown(body(), 2, null);
    expect(larger.hitboxes.map(({ radii }) => radii[2])).toEqual([0.4, 0.4]);
  });

  it('goes through the handles of bodies unchanged', () => {
    for (const taper of [[0, 0], [0.2, -0.1]] as [number, number][]) {
      for (const plain of body().hitboxes) {
        const hitbox = { ...plain, taper };
        expect(fromBody(hitbox, asBody(hitbox))).toEqual(hitbox);
      }
    }
  });

  it('is told by what has changed', () => {
    const before = body();
    expect(difference(before, before)).toEqual([]);
    expect(Object.keys(difference(null, before)[0] ?? {})).toEqual(['open']);
    const moved = withHitbox(before, 1, (hitbox) => ({ ...hitbox, taper: [0.1, 0.1] }), null);
    const [edit] = difference(before, moved);
    expect(edit && 'change' in edit ? [edit.change.hitboxes.length, edit.change.joints.length, 'keys' in edit.change] : null).toEqual([2, 0, false]);
    const fewer = { ...before, bones: before.bones.slice(0, 2) };
    expect(Object.keys(difference(before, fewer)[0] ?? {})).toEqual(['open']);
    expect(difference(before, { ...before, hitboxes: [] })).toMatchObject([{ change: { removed: [1, 2] } }]);
  });
});

describe('the unit superovoid', () => {
  it('narrows along z, and its normals are across its surface', () => {
    const geometry = unitSuperovoid([1, 1], [0.4, 0]);
    const [positions, normals, triangles] = [geometry.getAttribute('position'), geometry.getAttribute('normal'), geometry.getIndex()];
    let widest = 0;
    for (let k = 0; k < positions.count; k++) {
      const [x, y, z] = [positions.getX(k), positions.getY(k), positions.getZ(k)];
      expect((x / (1 + 0.4 * z)) ** 2 + y ** 2 + z ** 2).toBeCloseTo(1, 5);
      if (z > 0) widest = Math.max(widest, x);
    }
    expect(widest).toBeGreaterThan(1.02);
    // Against the triangles around: how a finite difference would tell it.
    const corner = (k: number) => new Vector3().fromBufferAttribute(positions, triangles?.getX(k) ?? 0);
    for (let k = 300; k < 900; k += 3) {
      const across = corner(k + 1).sub(corner(k)).cross(corner(k + 2).sub(corner(k)));
      if (across.length() < 1e-4) continue;
      const normal = new Vector3().fromBufferAttribute(normals, triangles?.getX(k) ?? 0);
      expect(across.normalize().dot(normal)).toBeGreaterThan(0.9);
    }
  });
});
