// Dots, lines, arrows and boxes of a size on the screen: the contacts and the traces are drawn with them. Each is drawn
// twice: solid where it is seen, faint where a body hides it. They are redrawn many times a second, so objects are taken
// from a stock and given back to it, never thrown away.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, EdgesGeometry, GreaterDepth, Group,
  LessEqualDepth, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, type Quaternion, RingGeometry, SphereGeometry, Vector3,
  DoubleSide,
} from 'three';

const DOT = new SphereGeometry(1, 20, 14);
const ROD = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2);
const TIP = new ConeGeometry(1, 3, 16).rotateX(Math.PI / 2);
const RING = new RingGeometry(0.92, 1, 48);
const BOX = new EdgesGeometry(new BoxGeometry(2, 2, 2));
const Z = new Vector3(0, 0, 1);

type Kind = 'dot' | 'line' | 'shaft' | 'tip' | 'tick' | 'ring';
const GEOMETRIES: Record<Kind, BufferGeometry> = { dot: DOT, line: ROD, shaft: ROD, tip: TIP, tick: ROD, ring: RING };

/** One object of the stock. */
class Mark {
  readonly mesh = new Mesh<BufferGeometry, MeshBasicMaterial>();
  readonly at = new Vector3();
  readonly direction = new Vector3();
  kind: Kind = 'dot';
  pixels = 0;
  length = 0;

  /** Gives it its size on the screen. */
  resize(metres: number): void {
    const { mesh, pixels } = this;
    const size = metres * pixels;
    switch (this.kind) {
      case 'dot':
      case 'ring':
        mesh.scale.setScalar(size);
        break;
      case 'line':
        mesh.scale.set(size / 2, size / 2, this.length);
        break;
      case 'shaft':
        mesh.position.copy(this.at).addScaledVector(this.direction, size / 2);
        mesh.scale.set(metres * 1.1, metres * 1.1, size);
        break;
      case 'tip':
        mesh.position.copy(this.at).addScaledVector(this.direction, size);
        mesh.scale.setScalar(metres * 3.2);
        break;
      case 'tick':
        mesh.scale.set(metres * 0.7, metres * 0.7, 2 * size);
        break;
    }
  }
}

export class Marks extends Group {
  private readonly stock: Mark[] = [];
  private used = 0;
  private readonly boxes: LineSegments[] = [];
  private usedBoxes = 0;
  private readonly edgeLines: LineSegments[] = [];
  private readonly materials = new Map<string, [MeshBasicMaterial, MeshBasicMaterial]>();
  private readonly lineMaterials = new Map<string, LineBasicMaterial>();

  /** Takes everything away. */
  override clear(): this {
    for (let k = 0; k < this.used; k++) hide(this.stock[k]?.mesh);
    for (let k = 0; k < this.usedBoxes; k++) hide(this.boxes[k]);
    for (const edges of this.edgeLines) {
      this.remove(edges);
      edges.geometry.dispose();
    }
    this.edgeLines.length = 0;
    this.used = 0;
    this.usedBoxes = 0;
    return this;
  }

  dot(at: Vector3, colour: string, pixels: number, strength = 1): void {
    this.put('dot', at, Z, colour, pixels, strength);
  }

  line(from: Vector3, to: Vector3, colour: string, pixels: number, strength = 1): void {
    const length = from.distanceTo(to);
    if (length === 0) return;
    BETWEEN.copy(to).sub(from).divideScalar(length);
    MIDDLE.copy(from).add(to).multiplyScalar(0.5);
    this.put('line', MIDDLE, BETWEEN, colour, pixels, strength, length);
  }

  /** An arrow of some pixels' length. */
  arrow(at: Vector3, direction: Vector3, colour: string, pixels: number, strength = 1): void {
    this.put('shaft', at, direction, colour, pixels, strength);
    this.put('tip', at, direction, colour, pixels, strength);
  }

  /** A line through a point, of some pixels' length to both sides. */
  tick(at: Vector3, direction: Vector3, colour: string, pixels: number, strength = 1): void {
    this.put('tick', at, direction, colour, pixels, strength);
  }

  /** A circle across a direction. */
  ring(at: Vector3, normal: Vector3, colour: string, pixels: number, strength = 1): void {
    this.put('ring', at, normal, colour, pixels, strength);
  }

  box(center: Vector3, half: Vector3, facing: Quaternion, colour: string, strength = 1): void {
    let edges = this.boxes[this.usedBoxes];
    if (!edges) {
      edges = new LineSegments(BOX);
      edges.renderOrder = 4;
      this.boxes.push(edges);
      this.add(edges);
    }
    this.usedBoxes += 1;
    edges.visible = true;
    edges.material = this.lineMaterial(colour, strength);
    edges.position.copy(center);
    edges.scale.copy(half);
    edges.quaternion.copy(facing);
  }

  /** Many separate thin lines, given by their ends, two and two. */
  edges(points: readonly (readonly [number, number, number])[], colour: string, strength = 1): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(points.flat()), 3));
    const edges = new LineSegments(geometry, this.lineMaterial(colour, strength));
    edges.renderOrder = 4;
    this.edgeLines.push(edges);
    this.add(edges);
  }

  /** Keeps sizes on the screen. */
  resize(metresPerPixelAt: (point: Vector3) => number): void {
    for (let k = 0; k < this.used; k++) {
      const mark = this.stock[k];
      mark?.resize(metresPerPixelAt(mark.at));
    }
  }

  dispose(): void {
    this.clear();
    for (const pair of this.materials.values()) for (const material of pair) material.dispose();
    for (const material of this.lineMaterials.values()) material.dispose();
  }

  private put(kind: Kind, at: Vector3, direction: Vector3, colour: string, pixels: number, strength: number, length = 0): void {
    for (const material of this.pair(colour, strength)) {
      let mark = this.stock[this.used];
      if (!mark) {
        mark = new Mark();
        this.stock.push(mark);
        this.add(mark.mesh);
      }
      this.used += 1;
      const { mesh } = mark;
      mark.kind = kind;
      mark.pixels = pixels;
      mark.length = length;
      mark.at.copy(at);
      mark.direction.copy(direction);
      mesh.geometry = GEOMETRIES[kind];
      mesh.material = material;
      mesh.renderOrder = material.depthFunc === GreaterDepth ? 5 : 6;
      mesh.position.copy(at);
      mesh.quaternion.setFromUnitVectors(Z, direction);
      mesh.visible = true;
    }
  }

  private lineMaterial(colour: string, strength: number): LineBasicMaterial {
    const key = `${colour} ${strength}`;
    const known = this.lineMaterials.get(key);
    if (known) return known;
    const made = new LineBasicMaterial({ color: colour, transparent: true, opacity: strength, depthTest: false });
    this.lineMaterials.set(key, made);
    return made;
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

const BETWEEN = new Vector3();
const MIDDLE = new Vector3();

function hide(object: { visible: boolean } | undefined): void {
  if (object) object.visible = false;
}
