// The handles of the chosen body: an arrow for its height, knobs for its length and width, a ring piece to turn it. They have a
// size on the screen, and are seen through everything.

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, type Object3D, type Ray, SphereGeometry, TorusGeometry, Vector3 } from 'three';

import { alongLine, onPlane } from '../../input/drag';
import type { Layer, Sizes } from '../../stage/stage';
import type { Hill } from './messages';

export type HandleKind = 'height' | 'length' | 'width' | 'turn';

const GRIP = new SphereGeometry(20, 10, 8);
const KNOB = new SphereGeometry(8, 24, 16);
const SHAFT = new CylinderGeometry(2, 2, 26, 12).rotateX(Math.PI / 2).translate(0, 0, -16);
const TIP = new ConeGeometry(8.5, 19, 24).rotateX(Math.PI / 2).translate(0, 0, 5);
const ARC = new TorusGeometry(13, 2.4, 10, 40, 1.5 * Math.PI);
const ARC_TIP = new ConeGeometry(6, 12, 16).translate(13, -2, 0).rotateZ(1.5 * Math.PI);
/** Room between a body and its handles, in metres. */
const ROOM = 0.05;
const UP = new Vector3(0, 0, 1);
const COLOURS: Record<HandleKind, string> = { height: '#4a78d6', length: '#d9534f', width: '#4f9d55', turn: '#f0a330' };
const KINDS: HandleKind[] = ['height', 'length', 'width', 'turn'];

/** Along its length or its width. */
function across({ turn }: Hill, kind: 'length' | 'width'): Vector3 {
  const angle = turn + (kind === 'length' ? 0 : Math.PI / 2);
  return new Vector3(Math.cos(angle), Math.sin(angle), 0);
}

function middle({ position, radii, lift }: Hill): Vector3 {
  return new Vector3(...position, lift * radii[2]);
}

export class HandlesLayer implements Layer {
  readonly object = new Group();
  private readonly knobs: Record<HandleKind, Group>;
  private hill: Hill | null = null;

  constructor() {
    const make = (kind: HandleKind) => {
      const group = new Group();
      const plain = new MeshBasicMaterial({ color: COLOURS[kind], depthTest: false, transparent: true });
      const shapes = kind === 'height' ? [SHAFT, TIP] : kind === 'turn' ? [ARC, ARC_TIP] : [KNOB];
      for (const shape of shapes) {
        const halo = new Mesh(shape, new MeshBasicMaterial({ color: '#ffffff', depthTest: false, transparent: true }));
        halo.scale.setScalar(1.22);
        halo.renderOrder = 20;
        const mesh = new Mesh(shape, plain);
        mesh.renderOrder = 21;
        group.add(halo, mesh);
      }
      const grip = new Mesh(GRIP, new MeshBasicMaterial({ visible: false }));
      grip.userData['handle'] = kind;
      group.add(grip);
      this.object.add(group);
      return group;
    };
    this.knobs = { height: make('height'), length: make('length'), width: make('width'), turn: make('turn') };
    this.follow(null);
  }

  follow(hill: Hill | null): void {
    this.hill = hill;
    this.object.visible = hill !== null;
    if (!hill) return;
    const center = middle(hill);
    const [a, b, c] = hill.radii;
    this.knobs.height.position.copy(center).addScaledVector(UP, c + 1.6 * ROOM);
    this.knobs.length.position.copy(center).addScaledVector(across(hill, 'length'), a + ROOM);
    this.knobs.width.position.copy(center).addScaledVector(across(hill, 'width'), b + ROOM);
    const corner = across(hill, 'length').multiplyScalar(-a - ROOM).addScaledVector(across(hill, 'width'), -b - ROOM);
    this.knobs.turn.position.copy(center).addScaledVector(corner, 0.8);
    for (const kind of ['length', 'width', 'turn'] as const) this.knobs[kind].position.z = Math.max(this.knobs[kind].position.z, 0.02);
    // A hand may come before the next picture.
    this.object.updateMatrixWorld(true);
  }

  resize(sizes: Sizes): void {
    for (const kind of KINDS) this.knobs[kind].scale.setScalar(sizes.handleAt(this.knobs[kind].position));
  }

  targets(): Object3D[] {
    return this.object.visible ? KINDS.flatMap((kind) => this.knobs[kind].children.filter((child) => child.userData['handle'])) : [];
  }

  /** Where a handle is, for tests. */
  at(kind: HandleKind): Vector3 | null {
    return this.hill ? this.knobs[kind].position.clone() : null;
  }

  dispose(): void {
    for (const kind of KINDS) for (const child of this.knobs[kind].children) ((child as Mesh).material as MeshBasicMaterial).dispose();
  }
}

/** The body after a handle was dragged from one ray to another. */
export function draggedBy(kind: HandleKind, start: Hill, from: Ray, to: Ray): Hill {
  const center = middle(start);
  const [a, b, c] = start.radii;
  if (kind === 'turn') {
    const [first, last] = [onPlane(from, center, UP), onPlane(to, center, UP)];
    if (!first || !last) return start;
    const angle = (at: Vector3) => Math.atan2(at.y - center.y, at.x - center.x);
    return { ...start, turn: start.turn + angle(last) - angle(first) };
  }
  const axis = kind === 'height' ? UP : across(start, kind);
  const [first, last] = [alongLine(from, center, axis), alongLine(to, center, axis)];
  if (first === null || last === null) return start;
  const by = last - first;
  // The height is that of the top over the table.
  if (kind === 'height') return { ...start, radii: [a, b, c + by / (1 + start.lift)] };
  return { ...start, radii: kind === 'length' ? [a + by, b, c] : [a, b + by, c] };
}
