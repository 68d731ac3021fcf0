// The camera: it looks at a target from a distance, z up.

import { MathUtils, PerspectiveCamera, Vector3 } from 'three';

const SHALLOWEST = 0.02;
/** Metres from which one can look; meshes come in all units. */
const [NEAREST, FARTHEST] = [0.05, 5000];

export class Orbit {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 400);
  readonly target = new Vector3();
  azimuth = -0.9;
  elevation = 0.42;
  distance = 9;
  /** The part of the view that no panel covers. */
  private free = 1;
  private goal: { target: Vector3; distance: number; start: number } | null = null;

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

  /** Shifts by pixels of a view of this height. */
  shift(dx: number, dy: number, height: number): void {
    this.goal = null;
    const metres = this.metresPerPixel(height);
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
    this.apply();
  }

  /** Comes closer by a factor. */
  zoom(factor: number): void {
    this.goal = null;
    this.distance = MathUtils.clamp(this.distance / factor, NEAREST, FARTHEST);
    this.apply();
  }

  /** Glides to a place from which a ball is seen as a whole. */
  frame(center: Vector3, radius: number, glide: boolean): void {
    const half = MathUtils.degToRad(this.camera.fov / 2);
    const narrow = Math.min(1, this.camera.aspect);
    const distance = MathUtils.clamp((1.02 * radius) / Math.sin(half) / narrow / this.free, NEAREST, FARTHEST);
    if (glide) {
      this.goal = { target: center.clone(), distance, start: performance.now() };
    } else {
      this.target.copy(center);
      this.distance = distance;
      this.apply();
    }
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
  resize(width: number, height: number, covered: { right: number; bottom: number }): void {
    this.camera.aspect = width / Math.max(height, 1);
    this.free = Math.max(Math.min((width - covered.right) / width, (height - covered.bottom) / height), 0.4);
    this.camera.setViewOffset(width, height, covered.right / 2, covered.bottom / 2, width, height);
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
