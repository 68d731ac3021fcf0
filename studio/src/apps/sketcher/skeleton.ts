// What hands do to joints, bones and hitboxes directly: moved, turned, scaled, on both sides of the mirror.

import { Quaternion, Vector3 } from 'three';

import type { Body } from '../../shapes/body';
import type { Bone, Creature, Facts, Hitbox } from './messages';

type Triple = [number, number, number];
type Quad = [number, number, number, number];

/** Mirror images are this close to each other, in metres. */
const SAME = 1e-5;

export function quad({ x, y, z, w }: Quaternion): Quad {
  return [x, y, z, w];
}

export function placeOf(creature: Creature, joint: number): Vector3 {
  return new Vector3(...(creature.joints.find(({ id }) => id === joint)?.position ?? [0, 0, 0]));
}

/** Where all joints are. */
export function places(creature: Creature): Map<number, Vector3> {
  return new Map(creature.joints.map(({ id, position }) => [id, new Vector3(...position)]));
}

export function mirrorImage([x, y, z]: Triple): Triple {
  return [-x, y, z];
}

/** The joint on the other side; null for one in the plane, or without an image. */
export function otherJoint(creature: Creature, joint: number): number | null {
  const image = new Vector3(...mirrorImage(placeOf(creature, joint).toArray()));
  return creature.joints.find(({ id, position }) => id !== joint && new Vector3(...position).distanceTo(image) < SAME)?.id ?? null;
}

/** The bone on the other side. */
export function otherBone(creature: Creature, bone: Bone): Bone | null {
  const image = (joint: number) => otherJoint(creature, joint) ?? (Math.abs(placeOf(creature, joint).x) < SAME ? joint : null);
  const [from, to] = [image(bone.from), image(bone.to)];
  return creature.bones.find((other) => other.id !== bone.id && other.from === from && other.to === to) ?? null;
}

/** The hitbox on the other side. */
export function otherHitbox(creature: Creature, hitbox: Hitbox): Hitbox | null {
  const image = new Vector3(...mirrorImage(hitbox.position));
  return creature.hitboxes.find((other) => other.id !== hitbox.id && new Vector3(...other.position).distanceTo(image) < SAME) ?? null;
}

/** An orientation on the other side: the body is its own image across its x. */
export function mirroredTurn([x, y, z, w]: Quad): Quad {
  return [x, -y, -z, w];
}

function mirrored(hitbox: Hitbox, twin: Hitbox): Hitbox {
  return { ...hitbox, id: twin.id, bone: twin.bone, position: mirrorImage(hitbox.position), orientation: mirroredTurn(hitbox.orientation) };
}

/** The bones that turn about a joint. */
export function bonesAt(creature: Creature, joint: number): Bone[] {
  const root = creature.bones[0]?.id;
  return creature.bones.filter((bone) => bone.from === joint && bone.id !== root);
}

/** A joint at another place. Hitboxes of the bones there go along: turned and stretched with their bone. */
export function withJoint(creature: Creature, joint: number, to: Vector3): Creature {
  const moves = new Map([[joint, to]]);
  const other = creature.mirror ? otherJoint(creature, joint) : null;
  if (other !== null) moves.set(other, new Vector3(...mirrorImage(to.toArray())));
  else if (creature.mirror && Math.abs(placeOf(creature, joint).x) < SAME) moves.set(joint, to.clone().setX(0));
  const before = places(creature);
  const after = new Map(before);
  for (const [id, place] of moves) after.set(id, place);
  const joints = creature.joints.map((old) => (moves.has(old.id) ? { ...old, position: (after.get(old.id) ?? to).toArray() } : old));
  const carried = new Map<number, (hitbox: Hitbox) => Hitbox>();
  const bones = creature.bones.map((bone) => {
    if (!moves.has(bone.from) && !moves.has(bone.to)) return bone;
    const [a, b] = [before.get(bone.from), before.get(bone.to)];
    const [c, d] = [after.get(bone.from), after.get(bone.to)];
    if (!a || !b || !c || !d || c.distanceTo(d) < 1e-4) return bone;
    const [was, is] = [b.clone().sub(a), d.clone().sub(c)];
    const turn = new Quaternion().setFromUnitVectors(was.clone().normalize(), is.clone().normalize());
    const stretch = is.length() / was.length();
    const along = was.clone().normalize();
    carried.set(bone.id, (hitbox) => {
      const off = new Vector3(...hitbox.position).sub(a);
      const far = off.dot(along);
      off.addScaledVector(along, far * (stretch - 1)).applyQuaternion(turn);
      const orientation = new Quaternion(...hitbox.orientation);
      // Longer along the bone, as thick as before.
      const runs = Math.abs(new Vector3(0, 0, 1).applyQuaternion(orientation).dot(along)) > 0.8;
      const [x, y, z] = hitbox.radii;
      return { ...hitbox, position: off.add(c).toArray(), orientation: quad(turn.clone().multiply(orientation).normalize()), radii: runs ? [x, y, z * stretch] : hitbox.radii };
    });
    const axes = turn.multiply(new Quaternion(...bone.articulation.axes)).normalize();
    return { ...bone, articulation: { ...bone.articulation, axes: quad(axes) } };
  });
  const hitboxes = creature.hitboxes.map((hitbox) => carried.get(hitbox.bone)?.(hitbox) ?? hitbox);
  return { ...creature, joints, bones, hitboxes };
}

/** A hitbox in another way, and its image on the other side. */
export function withHitbox(creature: Creature, id: number, how: (hitbox: Hitbox) => Hitbox, facts: Facts | null): Creature {
  const start = creature.hitboxes.find((hitbox) => hitbox.id === id);
  if (!start) return creature;
  const twin = creature.mirror ? otherHitbox(creature, start) : null;
  const changed = within(how(start), facts);
  return {
    ...creature,
    hitboxes: creature.hitboxes.map((hitbox) => (hitbox.id === id ? changed : twin && hitbox.id === twin.id ? mirrored(changed, twin) : hitbox)),
  };
}

/** A hitbox as a session takes it. */
export function within(hitbox: Hitbox, facts: Facts | null): Hitbox {
  if (!facts) return hitbox;
  const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
  const radius = (value: number) => clamp(value, facts.radii[0], facts.radii[1]);
  const exponent = (value: number) => clamp(value, facts.exponents[0], facts.exponents[1]);
  const taper = (value: number) => (Math.abs(value) < 0.01 ? 0 : clamp(value, -facts.taper, facts.taper));
  const [a, b, c] = hitbox.radii;
  return {
    ...hitbox,
    radii: [radius(a), radius(b), radius(c)],
    exponents: [exponent(hitbox.exponents[0]), exponent(hitbox.exponents[1])],
    taper: [taper(hitbox.taper[0]), taper(hitbox.taper[1])],
  };
}

/** A hitbox as a body of the platform's, for its handles. */
export function asBody({ id, position, orientation, radii, exponents, taper }: Hitbox): Body {
  const plain = taper[0] === 0 && taper[1] === 0;
  return { id, name: '', type: plain ? 'superellipsoid' : 'superovoid', position, orientation, radii, exponents, ...(plain ? {} : { taper }) };
}

/** The hitbox that a body of the platform's has become. */
export function fromBody(hitbox: Hitbox, { position, orientation, radii, exponents, taper }: Body): Hitbox {
  return { ...hitbox, position, orientation, radii: radii ?? hitbox.radii, exponents: exponents ?? hitbox.exponents, taper: taper ?? [0, 0] };
}

/** All hitboxes larger or smaller. */
export function grown(creature: Creature, factor: number, facts: Facts | null): Creature {
  const scale = (hitbox: Hitbox): Hitbox => within({ ...hitbox, radii: [hitbox.radii[0] * factor, hitbox.radii[1] * factor, hitbox.radii[2] * factor] }, facts);
  return { ...creature, hitboxes: creature.hitboxes.map(scale) };
}
