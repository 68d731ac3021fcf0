// Bones and joints: blue rods that taper away from the root, and green balls that keep their size on the screen.

import { BufferAttribute, BufferGeometry, Color, Group, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from 'three';

import type { Layer, Sizes } from '../../stage/stage';
import type { Creature } from './messages';
import type { Chosen } from './store';

/** Radius of a joint, in pixels, and thickness of a bone, in parts of its length. */
const JOINT = 7;
const THICK = 0.07;
const COLOURS = { bone: '#3f74d6', joint: '#3f9a52', chosen: '#f0a330', root: '#28539f' } as const;
const UP = new Vector3(0, 0, 1);
/** Bones and joints that there is room for. */
const MOST = 640;

/** A rod along z from 0 to 1 that is thickest near its beginning. */
function rod(): BufferGeometry {
  const corners: number[] = [0, 0, 0];
  const around = 6;
  for (let k = 0; k < around; k++) corners.push(Math.cos((2 * Math.PI * k) / around), Math.sin((2 * Math.PI * k) / around), 0.18);
  corners.push(0, 0, 1);
  const triangles: number[] = [];
  for (let k = 0; k < around; k++) {
    const [a, b] = [1 + k, 1 + ((k + 1) % around)];
    triangles.push(0, b, a, around + 1, a, b);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(corners), 3));
  geometry.setIndex(triangles);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

export class BonesLayer implements Layer {
  readonly object = new Group();
  /** Where joints are shown. */
  readonly joints = new Map<number, Vector3>();
  /** Where bones are shown. */
  readonly ends = new Map<number, [Vector3, Vector3]>();
  private readonly rods = new InstancedMesh(rod(), new MeshStandardMaterial({ roughness: 0.55, flatShading: true }), MOST);
  private readonly balls = new InstancedMesh(new SphereGeometry(1, 18, 12), new MeshStandardMaterial({ roughness: 0.4 }), MOST);
  private order: number[] = [];
  /** What is shown: joints, bones, what covers them, places, and what is chosen. */
  private known: readonly unknown[] = [];
  private readonly matrix = new Matrix4();
  private readonly size = new Vector3();

  constructor() {
    for (const mesh of [this.rods, this.balls]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      // Seen through hitboxes.
      mesh.renderOrder = 3;
      mesh.material.depthTest = false;
      mesh.material.transparent = true;
      this.object.add(mesh);
    }
    this.balls.renderOrder = 4;
  }

  /** Shows bones where they were moved to from rest; all with their joints, or those alone that have nothing else to be seen by. */
  follow(creature: Creature, places: ReadonlyMap<number, Matrix4>, chosen: Chosen | null, bare: boolean): void {
    const bone = chosen?.kind === 'bone' ? chosen.id : chosen?.kind === 'hitbox' ? creature.hitboxes.find(({ id }) => id === chosen.id)?.bone : undefined;
    const now: readonly unknown[] = [creature.joints, creature.bones, bare ? creature.hitboxes : null, places, bone, chosen?.kind === 'joint' ? chosen.id : undefined];
    if (now.every((part, k) => part === this.known[k])) return;
    this.known = now;
    this.show(creature, places, bone, chosen?.kind === 'joint' ? chosen.id : undefined, bare ? new Set(creature.hitboxes.map((hitbox) => hitbox.bone)) : null);
  }

  private show(creature: Creature, places: ReadonlyMap<number, Matrix4>, chosenBone: number | undefined, chosenJoint: number | undefined, covered: ReadonlySet<number> | null): void {
    const rest = new Map(creature.joints.map(({ id, position }) => [id, new Vector3(...position)]));
    this.joints.clear();
    this.ends.clear();
    const colour = new Color();
    let count = 0;
    for (const bone of creature.bones.slice(0, MOST)) {
      const place = places.get(bone.id);
      const [from, to] = [rest.get(bone.from)?.clone(), rest.get(bone.to)?.clone()];
      if (!from || !to) continue;
      if (place) {
        from.applyMatrix4(place);
        to.applyMatrix4(place);
      }
      this.ends.set(bone.id, [from, to]);
      if (!this.joints.has(bone.from)) this.joints.set(bone.from, from);
      this.joints.set(bone.to, to);
      if (covered?.has(bone.id)) continue;
      const length = from.distanceTo(to);
      const along = to.clone().sub(from).normalize();
      const thick = THICK * Math.min(length, 0.6);
      this.matrix.compose(from, new Quaternion().setFromUnitVectors(UP, along), this.size.set(thick, thick, length));
      this.rods.setMatrixAt(count, this.matrix);
      this.rods.setColorAt(count, colour.set(bone.id === chosenBone ? COLOURS.chosen : bone === creature.bones[0] ? COLOURS.root : COLOURS.bone));
      count += 1;
    }
    this.rods.count = count;
    this.order = covered ? [] : [...this.joints.keys()].slice(0, MOST);
    for (const [k, id] of this.order.entries()) this.balls.setColorAt(k, colour.set(id === chosenJoint ? COLOURS.chosen : COLOURS.joint));
    this.balls.count = this.order.length;
    for (const mesh of [this.rods, this.balls]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  resize({ markAt }: Sizes): void {
    for (const [k, id] of this.order.entries()) {
      const at = this.joints.get(id);
      if (!at) continue;
      const size = JOINT * markAt(at);
      this.matrix.makeScale(size, size, size).setPosition(at);
      this.balls.setMatrixAt(k, this.matrix);
    }
    this.balls.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    for (const mesh of [this.rods, this.balls]) {
      mesh.geometry.dispose();
      mesh.material.dispose();
      mesh.dispose();
    }
  }
}
