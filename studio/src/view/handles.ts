// The handles of the selected body: arrows to move it, rings to turn it, knobs for its radii, taper and vertices.

import {
  ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, OctahedronGeometry, Quaternion, type Ray,
  SphereGeometry, TorusGeometry, Vector3,
} from 'three';

import type { Tool } from '../lab/store';
import type { Body } from '../protocol/messages';
import { alongLine, angleAbout, onPlane, turned } from './drag';
import { AXES } from './palette';

export type Handle =
  | { kind: 'move'; axis: 0 | 1 | 2 }
  | { kind: 'turn'; axis: 0 | 1 | 2 }
  | { kind: 'radius'; axis: 0 | 1 | 2 }
  | { kind: 'taper'; axis: 0 | 1 }
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
const SMALLEST_RADIUS = 0.02;
const LARGEST_RADIUS = 10;
const LARGEST_TAPER = 0.95;

export class Handles extends Group {
  /** What a pointer can hit. */
  readonly targets: Mesh[] = [];
  private readonly knobs: { object: Group; at: Vector3 }[] = [];
  private readonly materials = AXES.map((color) => new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95, toneMapped: false }));
  private readonly hidden = new MeshBasicMaterial({ visible: false });

  /** Makes the handles of a body for a tool. */
  show(body: Body | null, tool: Tool): void {
    this.clear();
    this.targets.length = 0;
    this.knobs.length = 0;
    if (!body) return;
    const pose = poseOf(body);
    if (tool === 'move') {
      for (const axis of [0, 1, 2] as const) {
        this.knob(body, pose.position, new Quaternion().setFromUnitVectors(UNITS[2], UNITS[axis]), axis, [SHAFT, TIP], GRIP, { kind: 'move', axis });
      }
    } else if (tool === 'turn') {
      for (const axis of [0, 1, 2] as const) {
        const facing = pose.rotation.clone().multiply(new Quaternion().setFromUnitVectors(UNITS[2], UNITS[axis]));
        this.knob(body, pose.position, facing, axis, [RING], RING_GRIP, { kind: 'turn', axis });
      }
    } else if (body.radii) {
      this.shapeKnobs(body, body.radii, pose);
    } else {
      for (const [index, point] of (body.points ?? []).entries()) {
        const at = new Vector3(...point).applyQuaternion(pose.rotation).add(pose.position);
        this.knob(body, at, pose.rotation, (index % 3) as 0 | 1 | 2, [KNOB], KNOB_GRIP, { kind: 'vertex', index });
      }
    }
  }

  resize(metresPerPixelAt: (point: Vector3) => number): void {
    for (const { object, at } of this.knobs) {
      const size = metresPerPixelAt(at);
      if (object.userData['stem'] !== undefined) object.scale.set(size, size, object.userData['stem'] as number);
      else object.scale.setScalar(size);
    }
  }

  private shapeKnobs(body: Body, radii: [number, number, number], pose: Pose): void {
    const world = (local: Vector3) => local.clone().applyQuaternion(pose.rotation).add(pose.position);
    for (const axis of [0, 1, 2] as const) {
      const tip = world(UNITS[axis].clone().multiplyScalar(radii[axis]));
      this.knob(body, tip, pose.rotation, axis, [KNOB], KNOB_GRIP, { kind: 'radius', axis });
      this.stem(pose.position, tip, axis);
    }
    const taper = body.taper ?? [0, 0];
    for (const axis of [0, 1] as const) {
      const corner = UNITS[axis].clone().multiplyScalar(radii[axis] * (1 + taper[axis])).setZ(radii[2]);
      this.knob(body, world(corner), pose.rotation, axis, [TAPER], KNOB_GRIP, { kind: 'taper', axis });
      this.stem(world(new Vector3(0, 0, radii[2])), world(corner), axis);
    }
  }

  private knob(body: Body, at: Vector3, facing: Quaternion, axis: 0 | 1 | 2, shapes: (typeof SHAFT | typeof RING | typeof KNOB | typeof TAPER)[], grip: typeof GRIP | typeof RING_GRIP | typeof KNOB_GRIP, handle: Handle): void {
    const object = new Group();
    object.position.copy(at);
    object.quaternion.copy(facing);
    for (const shape of shapes) {
      const mesh = new Mesh(shape, this.materials[axis]);
      mesh.renderOrder = 10;
      object.add(mesh);
    }
    const target = new Mesh(grip, this.hidden);
    target.userData['handle'] = handle;
    target.userData['body'] = body.id;
    object.add(target);
    this.targets.push(target);
    this.knobs.push({ object, at });
    this.add(object);
  }

  private stem(from: Vector3, to: Vector3, axis: 0 | 1 | 2): void {
    const object = new Group();
    const length = from.distanceTo(to);
    object.position.copy(from);
    object.quaternion.setFromUnitVectors(UNITS[2], to.clone().sub(from).divideScalar(length || 1));
    object.userData['stem'] = length;
    const mesh = new Mesh(STEM, this.materials[axis]);
    mesh.renderOrder = 9;
    object.add(mesh);
    this.knobs.push({ object, at: from });
    this.add(object);
  }
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
      const axis = UNITS[handle.axis];
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
      radii[handle.axis] = clamp(radii[handle.axis] + end - start, SMALLEST_RADIUS, LARGEST_RADIUS);
      return { ...body, radii };
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
