// Dots, lines, arrows and boxes of a size on the screen: the contacts and the traces are drawn with them. Each is drawn
// twice: solid where it is seen, faint where a body hides it.

import {
  BoxGeometry, ConeGeometry, CylinderGeometry, EdgesGeometry, GreaterDepth, Group, LessEqualDepth, LineBasicMaterial,
  LineSegments, Mesh, MeshBasicMaterial, Quaternion, RingGeometry, SphereGeometry, Vector3, DoubleSide, type BufferGeometry,
} from 'three';

const DOT = new SphereGeometry(1, 20, 14);
const ROD = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2);
const TIP = new ConeGeometry(1, 3, 16).rotateX(Math.PI / 2);
const RING = new RingGeometry(0.92, 1, 48);
const BOX = new EdgesGeometry(new BoxGeometry(2, 2, 2));
const Z = new Vector3(0, 0, 1);

type Sized = (metresPerPixel: number) => void;

export class Marks extends Group {
  private sized: { at: Vector3; resize: Sized }[] = [];
  private readonly materials = new Map<string, [MeshBasicMaterial, MeshBasicMaterial]>();

  /** Takes everything away. */
  override clear(): this {
    super.clear();
    this.sized = [];
    return this;
  }

  dot(at: Vector3, colour: string, pixels: number, strength = 1): void {
    this.both(DOT, colour, strength, (mesh) => {
      mesh.position.copy(at);
      this.sized.push({ at, resize: (metres) => mesh.scale.setScalar(metres * pixels) });
    });
  }

  line(from: Vector3, to: Vector3, colour: string, pixels: number, strength = 1): void {
    const length = from.distanceTo(to);
    if (length === 0) return;
    const middle = from.clone().add(to).multiplyScalar(0.5);
    const facing = new Quaternion().setFromUnitVectors(Z, to.clone().sub(from).divideScalar(length));
    this.both(ROD, colour, strength, (mesh) => {
      mesh.position.copy(middle);
      mesh.quaternion.copy(facing);
      this.sized.push({ at: middle, resize: (metres) => mesh.scale.set(metres * pixels * 0.5, metres * pixels * 0.5, length) });
    });
  }

  /** An arrow of some pixels' length. */
  arrow(at: Vector3, direction: Vector3, colour: string, pixels: number, strength = 1): void {
    const facing = new Quaternion().setFromUnitVectors(Z, direction);
    this.both(ROD, colour, strength, (mesh) => {
      mesh.quaternion.copy(facing);
      this.sized.push({
        at,
        resize: (metres) => {
          mesh.position.copy(at).addScaledVector(direction, (metres * pixels) / 2);
          mesh.scale.set(metres * 1.1, metres * 1.1, metres * pixels);
        },
      });
    });
    this.both(TIP, colour, strength, (mesh) => {
      mesh.quaternion.copy(facing);
      this.sized.push({
        at,
        resize: (metres) => {
          mesh.position.copy(at).addScaledVector(direction, metres * pixels);
          mesh.scale.setScalar(metres * 3.2);
        },
      });
    });
  }

  /** A line through a point, of some pixels' length to both sides. */
  tick(at: Vector3, direction: Vector3, colour: string, pixels: number, strength = 1): void {
    const facing = new Quaternion().setFromUnitVectors(Z, direction);
    this.both(ROD, colour, strength, (mesh) => {
      mesh.position.copy(at);
      mesh.quaternion.copy(facing);
      this.sized.push({ at, resize: (metres) => mesh.scale.set(metres * 0.7, metres * 0.7, 2 * metres * pixels) });
    });
  }

  /** A circle across a direction. */
  ring(at: Vector3, normal: Vector3, colour: string, pixels: number, strength = 1): void {
    const facing = new Quaternion().setFromUnitVectors(Z, normal);
    this.both(RING, colour, strength, (mesh) => {
      mesh.position.copy(at);
      mesh.quaternion.copy(facing);
      this.sized.push({ at, resize: (metres) => mesh.scale.setScalar(metres * pixels) });
    });
  }

  box(center: Vector3, half: Vector3, facing: Quaternion, colour: string, strength = 1): void {
    const edges = new LineSegments(BOX, new LineBasicMaterial({ color: colour, transparent: true, opacity: strength, depthTest: false }));
    edges.position.copy(center);
    edges.scale.copy(half);
    edges.quaternion.copy(facing);
    edges.renderOrder = 4;
    this.add(edges);
  }

  /** Keeps sizes on the screen. */
  resize(metresPerPixelAt: (point: Vector3) => number): void {
    for (const { at, resize } of this.sized) resize(metresPerPixelAt(at));
  }

  private both(geometry: BufferGeometry, colour: string, strength: number, prepare: (mesh: Mesh) => void): void {
    for (const material of this.pair(colour, strength)) {
      const mesh = new Mesh(geometry, material);
      mesh.renderOrder = material.depthFunc === GreaterDepth ? 5 : 6;
      prepare(mesh);
      this.add(mesh);
    }
  }

  private pair(colour: string, strength: number): [MeshBasicMaterial, MeshBasicMaterial] {
    const key = `${colour} ${strength}`;
    const known = this.materials.get(key);
    if (known) return known;
    const common = { color: colour, transparent: true, depthWrite: false, side: DoubleSide, toneMapped: false };
    const made: [MeshBasicMaterial, MeshBasicMaterial] = [
      new MeshBasicMaterial({ ...common, opacity: 0.32 * strength, depthFunc: GreaterDepth }),
      new MeshBasicMaterial({ ...common, opacity: strength, depthFunc: LessEqualDepth }),
    ];
    this.materials.set(key, made);
    return made;
  }
}
