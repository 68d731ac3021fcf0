// The handles of the selected body: arrows to move it, rings to turn it, knobs for its sizes, taper and vertices.

import {
  type BufferGeometry, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, OctahedronGeometry, Quaternion, type Ray,
  SphereGeometry, TorusGeometry, Vector3,
} from 'three';

import { alongLine, angleAbout, onPlane, turned } from '../input/drag';
import type { Body } from '../shapes/body';
import { LARGEST, resized, sizeOf, sizes, SMALLEST, sound } from '../shapes/forms';
import { AXES } from '../stage/palette';

/** What handles do. */
export type Tool = 'move' | 'turn' | 'shape';
/** Arrows along the axes of the world or of the body. */
export type Axes = 'world' | 'local';

export type Handle =
  | { kind: 'move'; axis: 0 | 1 | 2; axes: Axes }
  | { kind: 'turn'; axis: 0 | 1 | 2 }
  | { kind: 'radius'; axis: 0 | 1 | 2 }
  | { kind: 'taper'; axis: 0 | 1 }
  | { kind: 'height' }
  | { kind: 'hole' }
  | { kind: 'size'; axis: 0 | 1 | 2; index: number }
  | { kind: 'vertex'; index: number };

const SHAFT = new CylinderGeometry(1.1, 1.1, 44, 10).rotateX(Math.PI / 2).translate(0, 0, 40);
const TIP = new ConeGeometry(5.5, 15, 20).rotateX(Math.PI / 2).translate(0, 0, 69);
const GRIP = new CylinderGeometry(11, 11, 64, 8).rotateX(Math.PI / 2).translate(0, 0, 48);
const RING = new TorusGeometry(70, 1.5, 10, 72);
const RING_GRIP = new TorusGeometry(70, 11, 6, 48);
const KNOB = new SphereGeometry(6, 20, 14);
const TAPER = new OctahedronGeometry(7.5);
const KNOB_GRIP = new SphereGeometry(17, 8, 6);
const STEM = new CylinderGeometry(0.8, 0.8, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
const UNITS = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)] as const;
const LARGEST_TAPER = 0.95;
/** Radii of a supertoroid's centre line that the tools reach, in tube radii. */
export const HOLES: [number, number] = [1.05, 12];

/** How nearly along its axis a handle may be looked at, as the cosine of 10°: from there a hand cannot say how far. */
const END_ON = 0.985;

/** One handle as it should be. */
interface Spec {
  at: Vector3;
  facing: Quaternion;
  axis: 0 | 1 | 2;
  shapes: BufferGeometry[];
  /** What a pointer can hit; a stem has none. */
  grip: BufferGeometry | null;
  handle: Handle | null;
  /** Length of a stem, in metres. */
  stem: number | null;
}

export class Handles extends Group {
  private knobs: { object: Group; at: Vector3; stem: number | null; handle: Handle | null; target: Mesh | null }[] = [];
  private built = '';
  private readonly materials = AXES.map((color) => new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95, toneMapped: false }));
  private readonly hidden = new MeshBasicMaterial({ visible: false });

  /** Shows the handles of a body for a tool; those that are there already are only moved. */
  show(body: Body | null, tool: Tool, axes: Axes = 'world'): void {
    const specs = body ? specsOf(body, tool, axes) : [];
    const wanted = body ? `${body.id} ${tool} ${specs.map((spec) => JSON.stringify(spec.handle)).join()}` : '';
    if (wanted !== this.built) {
      this.built = wanted;
      this.clear();
      this.knobs = body ? specs.map((spec) => this.knob(body, spec)) : [];
    }
    for (const [index, { at, facing, stem }] of specs.entries()) {
      const knob = this.knobs[index];
      if (!knob) continue;
      knob.object.position.copy(at);
      knob.object.quaternion.copy(facing);
      knob.at.copy(at);
      knob.stem = stem;
    }
  }

  /** Where one can take hold of a handle. */
  placeOf(kind: Handle['kind'], axis: number): Vector3 | null {
    const knob = this.knobs.find(({ handle }) => handle?.kind === kind && (!('axis' in handle) || handle.axis === axis));
    if (!knob) return null;
    // Arrows and rings are held away from their middle.
    const grip = kind === 'move' ? new Vector3(0, 0, 50) : kind === 'turn' ? new Vector3(50, 50, 0) : new Vector3();
    knob.object.updateMatrixWorld();
    return grip.applyMatrix4(knob.object.matrixWorld);
  }

  /** What a pointer can hit: what is shown in this view. */
  get targets(): Mesh[] {
    return this.knobs.flatMap(({ object, target }) => (target && object.visible ? [target] : []));
  }

  resize(metresPerPixelAt: (point: Vector3) => number, sightAt: (point: Vector3) => Vector3): void {
    for (const { object, at, stem, handle } of this.knobs) {
      const size = metresPerPixelAt(at);
      object.scale.set(size, size, stem ?? size);
      const line = handle && lineOf(handle)?.clone().applyQuaternion(object.quaternion);
      object.visible = !line || Math.abs(line.dot(sightAt(at))) < END_ON;
    }
  }

  private knob(body: Body, { shapes, axis, grip, handle }: Spec): (typeof this.knobs)[0] {
    const object = new Group();
    for (const shape of shapes) {
      const mesh = new Mesh(shape, this.materials[axis]);
      mesh.renderOrder = handle ? 10 : 9;
      object.add(mesh);
    }
    const target = grip && new Mesh(grip, this.hidden);
    if (target) {
      target.userData['handle'] = handle;
      target.userData['body'] = body.id;
      object.add(target);
    }
    this.add(object);
    return { object, at: new Vector3(), stem: null, handle, target };
  }
}

/** The line along which a handle is drawn, in its own frame; rings and vertices have none. */
function lineOf(handle: Handle): Vector3 | null {
  switch (handle.kind) {
    case 'move':
    case 'height':
      return UNITS[2];
    case 'radius':
    case 'size':
    case 'taper':
      return UNITS[handle.axis];
    case 'hole':
      return UNITS[0];
    default:
      return null;
  }
}

function specsOf(body: Body, tool: Tool, axes: Axes): Spec[] {
  const pose = poseOf(body);
  const { position, rotation } = pose;
  if (tool === 'move') {
    return ([0, 1, 2] as const).map((axis) => ({
      at: position, facing: frameOf(rotation, axes).multiply(new Quaternion().setFromUnitVectors(UNITS[2], UNITS[axis])), axis, shapes: [SHAFT, TIP], grip: GRIP, handle: { kind: 'move', axis, axes }, stem: null,
    }));
  }
  if (tool === 'turn') {
    return ([0, 1, 2] as const).map((axis) => ({
      at: position, facing: rotation.clone().multiply(new Quaternion().setFromUnitVectors(UNITS[2], UNITS[axis])), axis, shapes: [RING], grip: RING_GRIP, handle: { kind: 'turn', axis }, stem: null,
    }));
  }
  if (body.radii) return shapeSpecs(body, body.radii, pose);
  if (!body.points) return sizeSpecs(body, pose);
  return body.points.map((point, index) => ({
    at: new Vector3(...point).applyQuaternion(rotation).add(position), facing: rotation, axis: (index % 3) as 0 | 1 | 2, shapes: [KNOB], grip: KNOB_GRIP, handle: { kind: 'vertex', index }, stem: null,
  }));
}

/** Where a radius ends, in radii: a supertoroid's tube lies around its centre line. */
function radiusReach(body: Body, axis: 0 | 1 | 2): number {
  return axis < 2 && body.hole !== undefined ? body.hole + 1 : 1;
}

/** A knob at the end of a stem, both in the body's own frame. */
function stemmed(pose: Pose, local: Vector3, from: Vector3, axis: 0 | 1 | 2, shape: BufferGeometry, handle: Handle): Spec[] {
  const world = (place: Vector3) => place.clone().applyQuaternion(pose.rotation).add(pose.position);
  const [at, root] = [world(local), world(from)];
  const length = root.distanceTo(at);
  const facing = new Quaternion().setFromUnitVectors(UNITS[2], at.clone().sub(root).divideScalar(length || 1));
  return [
    { at, facing: pose.rotation, axis, shapes: [shape], grip: KNOB_GRIP, handle, stem: null },
    { at: root, facing, axis, shapes: [STEM], grip: null, handle: null, stem: length },
  ];
}

/** One knob for each length of a primitive. */
function sizeSpecs(body: Body, pose: Pose): Spec[] {
  return sizes(body).flatMap(({ field, from, to, axis }, index) =>
    stemmed(pose, new Vector3(...to), new Vector3(...from), axis, field === 'rounding' ? TAPER : KNOB, { kind: 'size', axis, index }),
  );
}

function shapeSpecs(body: Body, radii: [number, number, number], pose: Pose): Spec[] {
  const specs: Spec[] = [];
  const knob = (...placed: [Vector3, Vector3, 0 | 1 | 2, BufferGeometry, Handle]) => {
    specs.push(...stemmed(pose, ...placed));
  };
  const middle = new Vector3();
  for (const axis of [0, 1, 2] as const) {
    const tip = UNITS[axis].clone().multiplyScalar(radii[axis] * radiusReach(body, axis));
    knob(tip, middle, axis, KNOB, { kind: 'radius', axis });
  }
  if (body.height !== undefined) {
    const [low, top] = [new Vector3(0, 0, radii[2]), new Vector3(0, 0, body.height)];
    // Above the knob of the radius even where they coincide.
    knob(top, low, 2, TAPER, { kind: 'height' });
  } else if (body.hole !== undefined) {
    const line = new Vector3(-radii[0] * body.hole, 0, 0);
    knob(line, middle, 0, TAPER, { kind: 'hole' });
  } else {
    const taper = body.taper ?? [0, 0];
    const pole = new Vector3(0, 0, radii[2]);
    for (const axis of [0, 1] as const) {
      const corner = UNITS[axis].clone().multiplyScalar(radii[axis] * (1 + taper[axis])).setZ(radii[2]);
      knob(corner, pole, axis, TAPER, { kind: 'taper', axis });
    }
  }
  return specs;
}

/** The axes that arrows lie along. */
function frameOf(rotation: Quaternion, axes: Axes): Quaternion {
  return axes === 'local' ? rotation.clone() : new Quaternion();
}

interface Pose {
  position: Vector3;
  rotation: Quaternion;
}

function poseOf(body: Body): Pose {
  return { position: new Vector3(...body.position), rotation: new Quaternion(...body.orientation).normalize() };
}

/** The body as a handle's drag from one ray to another makes it; unchanged where the rays say nothing. */
export function dragHandle(body: Body, handle: Handle, from: Ray, to: Ray, viewDirection: Vector3): Body {
  const { position, rotation } = poseOf(body);
  switch (handle.kind) {
    case 'move': {
      const axis = UNITS[handle.axis].clone().applyQuaternion(frameOf(rotation, handle.axes));
      const [start, end] = [alongLine(from, position, axis), alongLine(to, position, axis)];
      if (start === null || end === null) return body;
      return { ...body, position: position.addScaledVector(axis, end - start).toArray() };
    }
    case 'turn': {
      const axis = UNITS[handle.axis].clone().applyQuaternion(rotation);
      // A ring seen from its side is turned by the plane that faces the viewer.
      const plane = Math.abs(axis.dot(viewDirection)) > 0.15 ? axis : viewDirection;
      const [start, end] = [onPlane(from, position, plane), onPlane(to, position, plane)];
      if (!start || !end) return body;
      return { ...body, orientation: turned(body.orientation, axis, angleAbout(position, axis, start, end)) };
    }
    case 'radius': {
      if (!body.radii) return body;
      const axis = UNITS[handle.axis].clone().applyQuaternion(rotation);
      const [start, end] = [alongLine(from, position, axis), alongLine(to, position, axis)];
      if (start === null || end === null) return body;
      const radii: [number, number, number] = [...body.radii];
      const change = (end - start) / radiusReach(body, handle.axis);
      radii[handle.axis] = clamp(radii[handle.axis] + change, SMALLEST, LARGEST);
      return sound({ ...body, radii });
    }
    case 'height': {
      const axis = UNITS[2].clone().applyQuaternion(rotation);
      const [start, end] = [alongLine(from, position, axis), alongLine(to, position, axis)];
      if (start === null || end === null || body.height === undefined) return body;
      return sound({ ...body, height: body.height + end - start });
    }
    case 'hole': {
      if (!body.radii || body.hole === undefined) return body;
      const axis = UNITS[0].clone().applyQuaternion(rotation);
      const [start, end] = [alongLine(from, position, axis), alongLine(to, position, axis)];
      if (start === null || end === null) return body;
      return { ...body, hole: clamp(body.hole - (end - start) / body.radii[0], ...HOLES) };
    }
    case 'size': {
      const size = sizes(body)[handle.index];
      if (!size) return body;
      const axis = UNITS[size.axis].clone().applyQuaternion(rotation);
      const root = new Vector3(...size.from).applyQuaternion(rotation).add(position);
      const [start, end] = [alongLine(from, root, axis), alongLine(to, root, axis)];
      if (start === null || end === null) return body;
      // What is rounded grows to the other side.
      const outward = size.field === 'rounding' ? -1 : 1;
      return resized(body, size, sizeOf(body, size) + outward * (end - start));
    }
    case 'taper': {
      if (!body.radii) return body;
      const axis = UNITS[handle.axis].clone().applyQuaternion(rotation);
      const pole = new Vector3(0, 0, body.radii[2]).applyQuaternion(rotation).add(position);
      const [start, end] = [alongLine(from, pole, axis), alongLine(to, pole, axis)];
      if (start === null || end === null) return body;
      const taper: [number, number] = [...(body.taper ?? [0, 0])];
      taper[handle.axis] = clamp(taper[handle.axis] + (end - start) / body.radii[handle.axis], -LARGEST_TAPER, LARGEST_TAPER);
      return tapered(body, taper);
    }
    case 'vertex': {
      const points = body.points ?? [];
      const point = points[handle.index];
      if (!point) return body;
      const at = new Vector3(...point).applyQuaternion(rotation).add(position);
      const [start, end] = [onPlane(from, at, viewDirection), onPlane(to, at, viewDirection)];
      if (!start || !end) return body;
      const moved = at.add(end).sub(start).sub(position).applyQuaternion(rotation.clone().invert()).toArray();
      return { ...body, points: points.map((old, index) => (index === handle.index ? moved : old)) };
    }
  }
}

/** A body with this taper: a superellipsoid where there is none. */
export function tapered(body: Body, taper: [number, number]): Body {
  if (taper[0] === 0 && taper[1] === 0) {
    const { taper: _taper, ...rest } = body;
    return { ...rest, type: 'superellipsoid' };
  }
  return { ...body, type: 'superovoid', taper };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
