// Dots, lines, arrows and boxes of a size on the screen: the contacts and the traces are drawn with them. Each is drawn
// twice: solid where it is seen, faint where a body hides it. All marks of one kind and colour are one instanced object,
// so that hundreds of them cost the main thread no more than a few.

import {
  BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, DynamicDrawUsage, EdgesGeometry,
  GreaterDepth, Group, InstancedMesh, LessEqualDepth, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, Quaternion,
  RingGeometry, SphereGeometry, Vector3,
} from 'three';

const Z = new Vector3(0, 0, 1);
const BOX = new EdgesGeometry(new BoxGeometry(2, 2, 2));
const ROD = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2);
const GEOMETRIES = {
  dot: new SphereGeometry(1, 20, 14),
  line: ROD,
  shaft: ROD,
  tip: new ConeGeometry(1, 3, 16).rotateX(Math.PI / 2),
  tick: ROD,
  ring: new RingGeometry(0.92, 1, 48),
};
type Kind = keyof typeof GEOMETRIES;

/** Instances that a bunch has room for at first. */
const ROOM = 16;

/** What is kept of a mark: where it is, its direction, its pixels and its length in metres. */
const STRIDE = 8;

const [AT, ALONG, PLACE, SIZE] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
const FACING = new Quaternion();
const MATRIX = new Matrix4();

/** All marks of one kind, colour and strength. */
class Bunch {
  count = 0;
  private data = new Float64Array(ROOM * STRIDE);
  private pair: [InstancedMesh, InstancedMesh];

  constructor(private readonly kind: Kind, private readonly materials: [MeshBasicMaterial, MeshBasicMaterial], private readonly group: Group) {
    this.pair = this.make(ROOM);
  }

  put(at: Vector3, direction: Vector3, pixels: number, length: number): void {
    if ((this.count + 1) * STRIDE > this.data.length) this.grow();
    const start = this.count * STRIDE;
    at.toArray(this.data, start);
    direction.toArray(this.data, start + 3);
    this.data[start + 6] = pixels;
    this.data[start + 7] = length;
    this.count += 1;
  }

  /** Gives every mark its size on the screen. */
  resize(metresPerPixelAt: (point: Vector3) => number): void {
    const [front, back] = this.pair;
    for (let k = 0; k < this.count; k++) {
      const start = k * STRIDE;
      AT.fromArray(this.data, start);
      ALONG.fromArray(this.data, start + 3);
      this.place(metresPerPixelAt(AT), this.data[start + 6] ?? 0, this.data[start + 7] ?? 0);
      MATRIX.compose(PLACE, FACING.setFromUnitVectors(Z, ALONG), SIZE);
      front.setMatrixAt(k, MATRIX);
    }
    front.count = back.count = this.count;
    front.visible = back.visible = this.count > 0;
    if (this.count > 0) front.instanceMatrix.needsUpdate = true;
  }

  private place(metres: number, pixels: number, length: number): void {
    const size = metres * pixels;
    PLACE.copy(AT);
    switch (this.kind) {
      case 'dot':
      case 'ring':
        SIZE.setScalar(size);
        break;
      case 'line':
        SIZE.set(size / 2, size / 2, length);
        break;
      case 'shaft':
        PLACE.addScaledVector(ALONG, size / 2);
        SIZE.set(metres * 1.1, metres * 1.1, size);
        break;
      case 'tip':
        PLACE.addScaledVector(ALONG, size);
        SIZE.setScalar(metres * 3.2);
        break;
      case 'tick':
        SIZE.set(metres * 0.7, metres * 0.7, 2 * size);
        break;
    }
  }

  private make(room: number): [InstancedMesh, InstancedMesh] {
    const [faint, solid] = this.materials;
    const front = new InstancedMesh(GEOMETRIES[this.kind], solid, room);
    const back = new InstancedMesh(GEOMETRIES[this.kind], faint, room);
    front.instanceMatrix.setUsage(DynamicDrawUsage);
    back.instanceMatrix = front.instanceMatrix;
    front.renderOrder = 6;
    back.renderOrder = 5;
    for (const mesh of [front, back]) {
      mesh.frustumCulled = false;
      mesh.visible = false;
      mesh.matrixAutoUpdate = false;
      this.group.add(mesh);
    }
    return [front, back];
  }

  private grow(): void {
    const data = new Float64Array(2 * this.data.length);
    data.set(this.data);
    this.data = data;
    this.dispose();
    this.pair = this.make(data.length / STRIDE);
  }

  dispose(): void {
    for (const mesh of this.pair) {
      this.group.remove(mesh);
      mesh.dispose();
    }
  }
}

export class Marks extends Group {
  private readonly bunches = new Map<string, Bunch>();
  private readonly boxes: LineSegments[] = [];
  private usedBoxes = 0;
  private readonly edgeLines: LineSegments[] = [];
  private readonly materials = new Map<string, [MeshBasicMaterial, MeshBasicMaterial]>();
  private readonly lineMaterials = new Map<string, LineBasicMaterial>();

  /** Takes everything away; the objects stay for what comes next. */
  override clear(): this {
    for (const bunch of this.bunches.values()) bunch.count = 0;
    for (let k = 0; k < this.usedBoxes; k++) {
      const box = this.boxes[k];
      if (box) box.visible = false;
    }
    for (const edges of this.edgeLines) {
      this.remove(edges);
      edges.geometry.dispose();
    }
    this.edgeLines.length = 0;
    this.usedBoxes = 0;
    return this;
  }

  dot(at: Vector3, colour: string, pixels: number, strength = 1): void {
    this.put('dot', at, Z, colour, pixels, strength);
  }

  line(from: Vector3, to: Vector3, colour: string, pixels: number, strength = 1): void {
    const length = from.distanceTo(to);
    if (length === 0) return;
    PLACE.copy(from).add(to).multiplyScalar(0.5);
    SIZE.copy(to).sub(from).divideScalar(length);
    this.put('line', PLACE, SIZE, colour, pixels, strength, length);
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
    for (const bunch of this.bunches.values()) bunch.resize(metresPerPixelAt);
  }

  dispose(): void {
    this.clear();
    for (const bunch of this.bunches.values()) bunch.dispose();
    for (const pair of this.materials.values()) for (const material of pair) material.dispose();
    for (const material of this.lineMaterials.values()) material.dispose();
  }

  private put(kind: Kind, at: Vector3, direction: Vector3, colour: string, pixels: number, strength: number, length = 0): void {
    const key = `${kind} ${colour} ${strength}`;
    let bunch = this.bunches.get(key);
    if (!bunch) {
      bunch = new Bunch(kind, this.pair(colour, strength), this);
      this.bunches.set(key, bunch);
    }
    bunch.put(at, direction, pixels, length);
  }

  private lineMaterial(colour: string, strength: number): LineBasicMaterial {
    const key = `${colour} ${strength}`;
    const known = this.lineMaterials.get(key);
    if (known) return known;
    const made = new LineBasicMaterial({ color: colour, transparent: true, opacity: strength, depthTest: false });
    this.lineMaterials.set(key, made);
    return made;
  }

  /** Faint behind what hides it, solid before it. */
  private pair(colour: string, strength: number): [MeshBasicMaterial, MeshBasicMaterial] {
    const key = `${colour} ${strength}`;
    const known = this.materials.get(key);
    if (known) return known;
    // In one pass: two would look for their programs anew at every frame.
    const common = { color: colour, transparent: true, depthWrite: false, side: DoubleSide, forceSinglePass: true, toneMapped: false };
    const made: [MeshBasicMaterial, MeshBasicMaterial] = [
      new MeshBasicMaterial({ ...common, opacity: 0.32 * strength, depthFunc: GreaterDepth }),
      new MeshBasicMaterial({ ...common, opacity: strength, depthFunc: LessEqualDepth }),
    ];
    this.materials.set(key, made);
    return made;
  }
}
