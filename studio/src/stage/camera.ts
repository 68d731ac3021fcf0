// How a viewport is looked through: around a target, straight along an axis, or behind something that moves. z is up.

import { MathUtils, OrthographicCamera, PerspectiveCamera, Vector3 } from 'three';

/** What panels cover of a view, in pixels. */
export interface Covered {
  right: number;
  bottom: number;
}

/** What a viewport needs of its camera. */
export interface Rig {
  readonly camera: PerspectiveCamera | OrthographicCamera;
  /** What is looked at, and from how far. */
  readonly target: Vector3;
  readonly distance: number;
  resize(width: number, height: number, covered: Covered): void;
  /** One step of a motion of its own; whether it goes on. */
  glide(now: number): boolean;
  /** Size of a pixel at this depth, in metres. */
  metresPerPixel(height: number, depth?: number): number;
  /** What a plain drag beside everything does, by pixels of a view of this height. */
  drag(dx: number, dy: number, height: number): void;
  shift(dx: number, dy: number, height: number): void;
  /** Comes closer by a factor. */
  zoom(factor: number): void;
  /** Turns with two fingers, by an angle on the screen. */
  twist?(angle: number): void;
  /** Sees a ball as a whole, at once or gliding there. */
  frame(center: Vector3, radius: number, glide: boolean): void;
}

const SHALLOWEST = 0.02;
/** Metres from which one can look; meshes come in all units. */
const [NEAREST, FARTHEST] = [0.05, 5000];

export class Orbit implements Rig {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 400);
  readonly target = new Vector3();
  azimuth = -0.9;
  elevation = 0.42;
  distance = 9;
  /** The part of the view that no panel covers. */
  private free = 1;
  private goal: { target: Vector3; distance: number; start: number } | null = null;
  /** Radius of the ball that was last looked at as a whole, until a hand shifts or zooms. */
  private whole: number | null = null;

  constructor() {
    this.camera.up.set(0, 0, 1);
    this.apply();
  }

  /** Turns by pixels. */
  turn(dx: number, dy: number): void {
    this.goal = null;
    this.azimuth -= dx * 0.008;
    this.elevation = MathUtils.clamp(this.elevation + dy * 0.008, -Math.PI / 2 + SHALLOWEST, Math.PI / 2 - SHALLOWEST);
    this.apply();
  }

  drag(dx: number, dy: number): void {
    this.turn(dx, dy);
  }

  twist(angle: number): void {
    this.goal = null;
    this.azimuth += angle;
    this.apply();
  }

  /** Looks along given angles. */
  look(azimuth: number, elevation: number): void {
    this.goal = null;
    this.azimuth = azimuth;
    this.elevation = MathUtils.clamp(elevation, -Math.PI / 2 + SHALLOWEST, Math.PI / 2 - SHALLOWEST);
    this.apply();
  }

  /** Shifts by pixels of a view of this height. */
  shift(dx: number, dy: number, height: number): void {
    this.goal = null;
    this.whole = null;
    const metres = this.metresPerPixel(height);
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
    this.apply();
  }

  /** Comes closer by a factor. */
  zoom(factor: number): void {
    this.goal = null;
    this.whole = null;
    this.distance = MathUtils.clamp(this.distance / factor, NEAREST, FARTHEST);
    this.apply();
  }

  /** Glides to a place from which a ball is seen as a whole. */
  frame(center: Vector3, radius: number, glide: boolean): void {
    this.whole = radius;
    const distance = this.distanceTo(radius);
    if (glide) {
      this.goal = { target: center.clone(), distance, start: performance.now() };
    } else {
      this.goal = null;
      this.target.copy(center);
      this.distance = distance;
      this.apply();
    }
  }

  /** From how far a ball is seen as a whole. */
  private distanceTo(radius: number): number {
    const half = MathUtils.degToRad(this.camera.fov / 2);
    const narrow = Math.min(1, this.camera.aspect);
    return MathUtils.clamp((1.02 * radius) / Math.sin(half) / narrow / this.free, NEAREST, FARTHEST);
  }

  /** One step of a glide; whether it goes on. */
  glide(now: number): boolean {
    if (!this.goal) return false;
    const part = MathUtils.clamp((now - this.goal.start) / 350, 0, 1);
    const eased = 0.35 * part ** 2 + 0.05;
    this.target.lerp(this.goal.target, eased);
    this.distance = MathUtils.lerp(this.distance, this.goal.distance, eased);
    if (part >= 1) {
      this.target.copy(this.goal.target);
      this.distance = this.goal.distance;
      this.goal = null;
    }
    this.apply();
    return true;
  }

  /** Fits a view of this size, of which panels cover some pixels at the right and at the bottom. */
  resize(width: number, height: number, covered: Covered): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.free = Math.max(Math.min((width - covered.right) / width, (height - covered.bottom) / height), 0.4);
    this.camera.setViewOffset(width, height, covered.right / 2, covered.bottom / 2, width, height);
    // Panels may come after what is looked at: it stays in view as a whole.
    if (this.whole !== null) {
      if (this.goal) this.goal.distance = this.distanceTo(this.whole);
      else this.distance = this.distanceTo(this.whole);
    }
    this.apply();
  }

  /** Size of a pixel at the target's distance. */
  metresPerPixel(height: number, distance = this.distance): number {
    return (2 * distance * Math.tan(MathUtils.degToRad(this.camera.fov / 2))) / Math.max(height, 1);
  }

  apply(): void {
    const flat = Math.cos(this.elevation);
    this.camera.position.set(
      this.target.x + this.distance * flat * Math.cos(this.azimuth),
      this.target.y + this.distance * flat * Math.sin(this.azimuth),
      this.target.z + this.distance * Math.sin(this.elevation),
    );
    this.camera.near = this.distance / 100;
    this.camera.far = this.distance * 30 + 60;
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
    this.camera.updateProjectionMatrix();
  }
}

/** Straight along a direction, without perspective. */
export class Orthographic implements Rig {
  readonly camera = new OrthographicCamera(-1, 1, 1, -1, 0.01, 400);
  readonly target = new Vector3();
  distance = 100;
  /** Half the height that is seen, in metres. */
  private half = 5;
  private aspect = 1;

  constructor(private readonly along: Vector3, up = new Vector3(0, 0, 1)) {
    this.camera.up.copy(up);
    this.apply();
  }

  /** Sees a rectangle of these half sizes as a whole. */
  fit(center: Vector3, halfWidth: number, halfHeight: number): void {
    this.target.copy(center);
    this.see(Math.max(halfHeight, halfWidth / this.aspect));
  }

  frame(center: Vector3, radius: number): void {
    this.fit(center, 1.08 * radius, 1.08 * radius);
  }

  drag(dx: number, dy: number, height: number): void {
    this.shift(dx, dy, height);
  }

  shift(dx: number, dy: number, height: number): void {
    const metres = this.metresPerPixel(height);
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
    this.apply();
  }

  zoom(factor: number): void {
    this.see(this.half / factor);
  }

  /** Fits a view of this size, of which panels cover some pixels at the right and at the bottom. */
  resize(width: number, height: number, covered: Covered = { right: 0, bottom: 0 }): void {
    this.aspect = width / Math.max(height, 1);
    if (covered.right === 0 && covered.bottom === 0) this.camera.clearViewOffset();
    else this.camera.setViewOffset(width, height, covered.right / 2, covered.bottom / 2, width, height);
    this.apply();
  }

  glide(): boolean {
    return false;
  }

  metresPerPixel(height: number): number {
    return (2 * this.half) / Math.max(height, 1);
  }

  private see(half: number): void {
    this.half = MathUtils.clamp(half, NEAREST / 2, FARTHEST / 2);
    // So far away that nothing that is seen is behind the camera.
    this.distance = Math.max(100, 4 * this.half);
    this.apply();
  }

  private apply(): void {
    Object.assign(this.camera, { left: -this.half * this.aspect, right: this.half * this.aspect, top: this.half, bottom: -this.half, far: 4 * this.distance });
    this.camera.position.copy(this.target).addScaledVector(this.along, -this.distance);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
    this.camera.updateProjectionMatrix();
  }
}

/** Behind and above something that moves; it is followed without jerks. */
export class Follow implements Rig {
  readonly camera = new PerspectiveCamera(45, 1, 0.01, 400);
  readonly target = new Vector3();
  private last = 0;

  /** `offset` leads from what is followed to the camera. */
  constructor(private readonly leader: () => Vector3, private readonly offset: Vector3) {
    this.camera.up.set(0, 0, 1);
    this.target.copy(leader());
    this.apply();
  }

  get distance(): number {
    return this.offset.length();
  }

  /** Goes round what is followed. */
  drag(dx: number): void {
    this.offset.applyAxisAngle(this.camera.up, -dx * 0.008);
    this.apply();
  }

  /** What is followed stays in the middle. */
  shift(): void {
    this.apply();
  }

  zoom(factor: number): void {
    this.offset.setLength(MathUtils.clamp(this.offset.length() / factor, NEAREST, FARTHEST));
    this.apply();
  }

  /** From so far that a ball around what is followed is seen as a whole. */
  frame(_center: Vector3, radius: number): void {
    this.offset.setLength(radius / Math.sin(MathUtils.degToRad(this.camera.fov / 2)));
    this.apply();
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  glide(now: number): boolean {
    const seconds = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const goal = this.leader();
    if (goal.distanceTo(this.target) < 1e-4) return false;
    this.target.lerp(goal, 1 - Math.exp(-seconds / 0.15));
    this.apply();
    return true;
  }

  metresPerPixel(height: number, depth = this.distance): number {
    return (2 * depth * Math.tan(MathUtils.degToRad(this.camera.fov / 2))) / Math.max(height, 1);
  }

  private apply(): void {
    this.camera.position.copy(this.target).add(this.offset);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
  }
}
