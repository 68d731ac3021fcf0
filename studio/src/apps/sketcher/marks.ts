// What is drawn beside the creature: what is close, ranges of joints as pies, the paper that one draws on, meshes to trace.

import {
  Box3, BufferAttribute, BufferGeometry, CircleGeometry, Color, DoubleSide, DynamicDrawUsage, GridHelper, Group, InstancedMesh, Line, LineBasicMaterial,
  LineDashedMaterial, LineLoop, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, OrthographicCamera, Quaternion, SphereGeometry, Vector3,
} from 'three';

import type { Frame } from '../../link/geometry';
import { geometryOf } from '../../shapes/bodies';
import { AXES, type StageColours } from '../../stage/palette';
import type { Layer, Sizes, Viewport } from '../../stage/stage';
import type { Bone, Contact, Creature } from './messages';

/** Marks that there is room for: as many as a session tells of. */
const MOST = 64;

/** A line between bones that are close; a red ball where they overlap. */
export class ContactsLayer implements Layer {
  readonly object = new Group();
  private readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
  private readonly balls = new InstancedMesh(new SphereGeometry(1, 14, 10), new MeshBasicMaterial({ color: '#d8343c', depthTest: false, transparent: true, toneMapped: false }), MOST);
  private readonly ends = new BufferAttribute(new Float32Array(6 * MOST), 3);
  private readonly deep: Vector3[] = [];
  private readonly matrix = new Matrix4();
  private known: Contact[] | null = null;

  constructor() {
    this.ends.setUsage(DynamicDrawUsage);
    this.lines.geometry.setAttribute('position', this.ends);
    for (const part of [this.lines, this.balls]) {
      part.renderOrder = 12;
      part.frustumCulled = false;
      this.object.add(part);
    }
  }

  follow(contacts: Contact[]): void {
    if (contacts === this.known) return;
    this.known = contacts;
    this.deep.length = 0;
    let count = 0;
    for (const { distance, points: [a, b] } of contacts.slice(0, MOST)) {
      if (distance < 0) this.deep.push(new Vector3(...a).add(new Vector3(...b)).multiplyScalar(0.5));
      else {
        this.ends.setXYZ(count, ...a);
        this.ends.setXYZ(count + 1, ...b);
        count += 2;
      }
    }
    this.ends.needsUpdate = true;
    this.lines.geometry.setDrawRange(0, count);
    this.lines.visible = count > 0;
    this.balls.count = this.deep.length;
    this.balls.visible = this.deep.length > 0;
  }

  resize({ markAt }: Sizes): void {
    for (const [k, at] of this.deep.entries()) {
      const size = 5 * markAt(at);
      this.balls.setMatrixAt(k, this.matrix.makeScale(size, size, size).setPosition(at));
    }
    if (this.deep.length > 0) this.balls.instanceMatrix.needsUpdate = true;
  }

  theme(colours: StageColours): void {
    this.lines.material.color.set(colours.near);
  }

  dispose(): void {
    for (const part of [this.lines, this.balls]) {
      part.geometry.dispose();
      part.material.dispose();
    }
    this.balls.dispose();
  }
}

/** Radius of a pie, in pixels. */
const PIE = 58;

/** The ranges of a joint's turns, as pieces of pie across their axes; zero is where the bone is at rest. */
export class PiesLayer implements Layer {
  readonly object = new Group();
  private pies: { pie: Group; at: Vector3 }[] = [];

  follow(creature: Creature, bones: Bone[], shown: number | null): void {
    for (const { pie } of this.pies) dispose(pie);
    this.object.clear();
    this.pies = [];
    const at = (joint: number) => new Vector3(...(creature.joints.find(({ id }) => id === joint)?.position ?? [0, 0, 0]));
    for (const bone of bones) {
      const pie = new Group();
      const axes = new Quaternion(...bone.articulation.axes).normalize();
      const [x, y, z] = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)].map((axis) => axis.applyQuaternion(axes)) as [Vector3, Vector3, Vector3];
      // From where, and towards where, each turn goes.
      const ways: [Vector3, Vector3][] = [[z, y.clone().negate()], [z, x], [x, y]];
      for (const [turn, [from, towards]] of ways.entries()) {
        const [low, high] = bone.articulation.ranges[turn] ?? [0, 0];
        if (high > low) pie.add(sector(from, towards, low, high, AXES[turn] ?? '#888888', shown === null || shown === bone.id ? 0.42 : 0.16, 1 - 0.16 * turn));
      }
      pie.position.copy(at(bone.from));
      this.object.add(pie);
      this.pies.push({ pie, at: at(bone.from) });
    }
  }

  resize({ handleAt }: Sizes): void {
    for (const { pie, at } of this.pies) pie.scale.setScalar(PIE * handleAt(at));
  }

  dispose(): void {
    for (const { pie } of this.pies) dispose(pie);
  }
}

function sector(from: Vector3, towards: Vector3, low: number, high: number, color: string, opacity: number, radius: number): Group {
  const group = new Group();
  const frame = new Matrix4().makeBasis(from, towards, from.clone().cross(towards));
  const disc = new Mesh(new CircleGeometry(radius, 40, low, high - low), new MeshBasicMaterial({ color, transparent: true, opacity, side: DoubleSide, depthTest: false, depthWrite: false, toneMapped: false }));
  const rim = [new Vector3()];
  for (let k = 0; k <= 32; k++) {
    const angle = low + ((high - low) * k) / 32;
    rim.push(new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0));
  }
  const border = new LineLoop(new BufferGeometry().setFromPoints(rim), new LineBasicMaterial({ color, depthTest: false, transparent: true }));
  for (const part of [disc, border]) {
    part.applyMatrix4(frame);
    part.renderOrder = 8;
    group.add(part);
  }
  return group;
}

function dispose(group: Group): void {
  group.traverse((part) => {
    if (part instanceof Mesh || part instanceof LineLoop) {
      (part.geometry as BufferGeometry).dispose();
      (part.material as LineBasicMaterial).dispose();
    }
  });
}

/** The paper of a view that looks straight: a grid behind everything, finer where one is close. */
export class PaperLayer implements Layer {
  readonly object = new Group();
  private readonly grids = [new GridHelper(40, 400), new GridHelper(40, 40)];

  constructor() {
    for (const [k, grid] of this.grids.entries()) {
      const { material } = grid;
      material.transparent = true;
      material.depthWrite = false;
      material.vertexColors = false;
      material.opacity = k === 0 ? 0.09 : 0.2;
      grid.renderOrder = -2;
      // It lies across z here.
      grid.rotation.x = Math.PI / 2;
      this.object.add(grid);
    }
  }

  shownIn({ rig }: Viewport): boolean {
    if (!(rig.camera instanceof OrthographicCamera)) return false;
    this.object.quaternion.copy(rig.camera.quaternion);
    const away = rig.camera.getWorldDirection(new Vector3());
    this.object.position.copy(away.multiplyScalar(40));
    const fine = this.grids[0];
    if (fine) fine.visible = rig.metresPerPixel(800) * 800 < 6;
    return true;
  }

  theme(colours: StageColours): void {
    for (const { material } of this.grids) material.color = new Color(colours.grid);
  }

  dispose(): void {
    for (const grid of this.grids) grid.dispose();
  }
}

/** The plane of the mirror where it is seen from its edge: a dashed line. */
export class MirrorLayer implements Layer {
  readonly object = new Group();
  private readonly material = new LineDashedMaterial({ color: '#c98a2b', dashSize: 0.03, gapSize: 0.025, transparent: true, opacity: 0.75, depthWrite: false });
  private on = false;

  constructor() {
    for (const end of [new Vector3(0, 0, 30), new Vector3(0, 30, 0)]) {
      const line = new Line(new BufferGeometry().setFromPoints([end.clone().negate(), end]), this.material);
      line.computeLineDistances();
      line.renderOrder = -1;
      this.object.add(line);
    }
  }

  follow(on: boolean): void {
    this.on = on;
  }

  shownIn({ rig }: Viewport): boolean {
    const straight = rig.camera instanceof OrthographicCamera;
    return this.on && straight && Math.abs(rig.camera.getWorldDirection(new Vector3()).x) < 0.5;
  }

  dispose(): void {
    for (const line of this.object.children) (line as Line).geometry.dispose();
    this.material.dispose();
  }
}

/** Meshes beside the skeleton, which move with their bones. */
export class BackdropsLayer implements Layer {
  readonly object = new Group();
  private readonly meshes = new Map<number, Mesh>();
  private readonly material = new MeshStandardMaterial({ color: '#b9b2a5', roughness: 0.8, transparent: true, opacity: 0.45, side: DoubleSide, depthWrite: false });

  /** Takes over a mesh. Returns whether it was not there before. */
  take(frame: Frame): boolean {
    const isNew = !this.meshes.has(frame.id);
    this.forget(frame.id);
    const mesh = new Mesh(geometryOf(frame), this.material);
    mesh.matrixAutoUpdate = false;
    this.meshes.set(frame.id, mesh);
    this.object.add(mesh);
    return isNew;
  }

  /** The box around all of them. */
  bounds(): Box3 {
    const box = new Box3();
    for (const { geometry, matrix } of this.meshes.values()) {
      if (!geometry.boundingBox) geometry.computeBoundingBox();
      if (geometry.boundingBox) box.union(geometry.boundingBox.clone().applyMatrix4(matrix));
    }
    return box;
  }

  follow(creature: Creature, places: ReadonlyMap<number, Matrix4>): void {
    const known = new Map((creature.meshes ?? []).map((mesh) => [mesh.id, mesh]));
    for (const [id, mesh] of this.meshes) {
      const described = known.get(id);
      if (!described) {
        this.forget(id);
        continue;
      }
      const place = described.bone === undefined ? undefined : places.get(described.bone);
      if (place) mesh.matrix.copy(place);
      else mesh.matrix.identity();
      mesh.matrixWorldNeedsUpdate = true;
    }
  }

  dispose(): void {
    for (const id of [...this.meshes.keys()]) this.forget(id);
    this.material.dispose();
  }

  private forget(id: number): void {
    const mesh = this.meshes.get(id);
    if (!mesh) return;
    this.object.remove(mesh);
    mesh.geometry.dispose();
    this.meshes.delete(id);
  }
}
