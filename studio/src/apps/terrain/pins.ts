// Clothespins, the thread of a hand that pulls the cloth, and the pin that a hand is about to leave.

import { BoxGeometry, BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, type Object3D, SphereGeometry, TorusGeometry, Vector3 } from 'three';

import type { Layer, Sizes } from '../../stage/stage';
import type { Clothespin } from './messages';

const LEG = new BoxGeometry(0.011, 0.016, 0.085);
const SPRING = new TorusGeometry(0.0105, 0.003, 8, 20).rotateX(Math.PI / 2);
const GRIP = new SphereGeometry(0.06, 10, 8);

export class PinsLayer implements Layer {
  readonly object = new Group();
  private readonly wood = new MeshStandardMaterial({ color: '#d7a15c', roughness: 0.6 });
  private readonly marked = new MeshStandardMaterial({ color: '#f0a330', roughness: 0.4, emissive: '#7a4300' });
  private readonly steel = new MeshStandardMaterial({ color: '#8b929b', roughness: 0.3, metalness: 0.6 });
  private readonly pins = new Map<number, Group>();
  private readonly ghost: Group;
  private readonly finger: Mesh;
  private readonly thread: Line<BufferGeometry, LineBasicMaterial>;

  constructor() {
    this.ghost = this.make(null);
    this.ghost.visible = false;
    this.finger = new Mesh(new SphereGeometry(1, 20, 14), new MeshStandardMaterial({ color: '#f0a330', emissive: '#8a5200' }));
    this.finger.visible = false;
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(6), 3));
    this.thread = new Line(geometry, new LineBasicMaterial({ color: '#f0a330' }));
    this.thread.visible = false;
    this.thread.frustumCulled = false;
    this.object.add(this.ghost, this.finger, this.thread);
  }

  /** Follows the document; pins are drawn where the cloth has them. */
  follow(pins: Clothespin[], chosen: number | null, at: (pin: Clothespin) => Vector3): void {
    const ids = new Set(pins.map(({ id }) => id));
    for (const [id, pin] of this.pins) {
      if (ids.has(id)) continue;
      this.object.remove(pin);
      this.pins.delete(id);
    }
    for (const pin of pins) {
      let view = this.pins.get(pin.id);
      if (!view) {
        view = this.make(pin.id);
        this.pins.set(pin.id, view);
        this.object.add(view);
      }
      view.position.copy(at(pin));
      view.updateMatrixWorld(true);
      for (const child of view.children) if (child.userData['leg']) (child as Mesh).material = pin.id === chosen ? this.marked : this.wood;
    }
  }

  /** A hand pulls the cloth from a place to another, and will leave a pin there or not. */
  pull(from: Vector3 | null, to: Vector3, pinned: boolean): void {
    this.finger.visible = from !== null;
    this.thread.visible = from !== null;
    this.ghost.visible = from !== null && pinned;
    if (!from) return;
    this.finger.position.copy(to);
    this.ghost.position.copy(to);
    const positions = this.thread.geometry.getAttribute('position') as BufferAttribute;
    positions.setXYZ(0, from.x, from.y, from.z);
    positions.setXYZ(1, to.x, to.y, to.z);
    positions.needsUpdate = true;
  }

  /** A pin in a hand, off the cloth. */
  carry(at: Vector3 | null): void {
    this.ghost.visible = at !== null;
    if (at) this.ghost.position.copy(at);
  }

  get isReady(): boolean {
    return this.ghost.visible;
  }

  resize(sizes: Sizes): void {
    this.finger.scale.setScalar(7 * sizes.markAt(this.finger.position));
  }

  targets(): Object3D[] {
    return [...this.pins.values()].flatMap((pin) => pin.children.filter((child) => child.userData['pin'] !== undefined));
  }

  dispose(): void {
    for (const material of [this.wood, this.marked, this.steel, this.finger.material as MeshStandardMaterial, this.thread.material]) material.dispose();
    this.finger.geometry.dispose();
    this.thread.geometry.dispose();
  }

  private make(id: number | null): Group {
    const group = new Group();
    for (const side of [-1, 1]) {
      const leg = new Mesh(LEG, id === null ? this.marked : this.wood);
      leg.position.set(0.0075 * side, 0, 0.03);
      leg.rotation.y = 0.09 * side;
      leg.castShadow = true;
      leg.userData['leg'] = true;
      group.add(leg);
    }
    const spring = new Mesh(SPRING, this.steel);
    spring.position.z = 0.022;
    group.add(spring);
    if (id !== null) {
      const grip = new Mesh(GRIP);
      grip.visible = false;
      grip.position.z = 0.03;
      grip.userData['pin'] = id;
      group.add(grip);
    }
    return group;
  }
}
