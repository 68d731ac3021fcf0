// Multibody Sketcher's stage: one, two or four views of the creature, six straight ones and a free one.

import { effect, signal } from '@preact/signals';
import { Matrix4, Vector3 } from 'three';

import type { Point } from '../../input/pointers';
import { Latency } from '../../link/latency';
import { Orthographic, type Rig } from '../../stage/camera';
import { Stage, type Layer, type Viewport } from '../../stage/stage';
import { Handles, type Handle } from '../../widgets/handles';
import { BonesLayer } from './bones';
import { HitboxesLayer, type Look } from './hitboxes';
import { BackdropsLayer, ContactsLayer, MirrorLayer, PaperLayer, PiesLayer } from './marks';
import type { Stroke } from './messages';
import { asBody, bonesAt } from './skeleton';
import type { Store, ViewName } from './store';

/** Which way each view looks, and what is up in it. The creature faces the viewer of the front. */
const LOOKS: Record<Exclude<ViewName, 'free'>, [Vector3, Vector3]> = {
  front: [new Vector3(0, 1, 0), new Vector3(0, 0, 1)],
  back: [new Vector3(0, -1, 0), new Vector3(0, 0, 1)],
  right: [new Vector3(-1, 0, 0), new Vector3(0, 0, 1)],
  left: [new Vector3(1, 0, 0), new Vector3(0, 0, 1)],
  top: [new Vector3(0, 0, -1), new Vector3(0, 1, 0)],
  bottom: [new Vector3(0, 0, 1), new Vector3(0, -1, 0)],
};
/** Nothing was moved. */
const AT_REST: ReadonlyMap<number, Matrix4> = new Map<number, Matrix4>();
/** Pixels within which a finger means a joint or a bone. */
export const REACH = { touch: 26, mouse: 16 };
/** What is seen of an empty paper, in metres. */
const NOTHING = { center: new Vector3(0, 0, 0.9), radius: 1.05, size: new Vector3(1.9, 1.9, 1.9) };

export class View extends Stage {
  readonly bones = new BonesLayer();
  readonly hitboxes = new HitboxesLayer();
  readonly handles = new Handles();
  readonly latency = new Latency();
  /** The stroke under a finger, on the screen. */
  readonly ink = signal<{ points: Point[]; kind: 'bone' | 'ellipse' | 'line' | 'erase' } | null>(null);
  private readonly straight = new Map<ViewName, Orthographic>();
  private readonly backdrops = new BackdropsLayer();
  private readonly pies = new PiesLayer();
  private readonly marks = new ContactsLayer();
  private readonly mirror = new MirrorLayer();
  private applied: unknown = null;
  private looked = false;
  /** The stage turns once before there is anything to arrange. */
  private ready = false;

  constructor(canvas: HTMLCanvasElement, private readonly store: Store) {
    super(canvas);
    this.ready = true;
    const handles: Layer = {
      object: this.handles,
      resize: ({ handleAt, sightAt }) => {
        this.handles.resize(handleAt, sightAt);
      },
    };
    for (const layer of [new PaperLayer(), this.mirror, this.backdrops, this.hitboxes, this.bones, this.pies, this.marks, handles]) this.add(layer);
    this.orbit.azimuth = -1.05;
    this.orbit.elevation = 0.32;
    store.onGeometry = (frame) => {
      const isNew = this.backdrops.take(frame);
      this.backdrops.follow(store.creature, store.places.peek());
      if (isNew) this.lookAtAll(false);
      this.invalidate();
    };
    this.disposers.push(
      effect(() => {
        this.follow();
      }),
      effect(() => {
        this.arrangeViews(store.layout.value, store.views.value);
      }),
      this.every('send', () => this.send()),
      this.every('apply', () => this.apply()),
    );
  }

  /** Everything as the document, the session and the hand have it. */
  private follow(): void {
    const { store } = this;
    const creature = store.document.value.value;
    const [mode, chosen, contacts] = [store.mode.value, store.chosen.value, store.contacts.value];
    // While the creature is drawn, it is at rest whatever the session still shows.
    const places: ReadonlyMap<number, Matrix4> = mode === 'pose' || mode === 'physics' ? store.places.value : AT_REST;
    const look: Look = mode === 'hitbox' ? 'plain' : mode === 'pose' || mode === 'physics' ? 'solid' : 'faint';
    this.bones.follow(creature, places, chosen, mode === 'physics');
    this.hitboxes.follow(creature, places, chosen, contacts, look);
    this.backdrops.follow(creature, places);
    this.marks.follow(contacts);
    this.mirror.follow(creature.mirror && (mode === 'skeleton' || mode === 'hitbox'));
    const isJoint = mode === 'joint';
    const joint = isJoint && chosen?.kind === 'joint' ? chosen.id : isJoint && chosen?.kind === 'bone' ? (store.bone(chosen.id)?.from ?? null) : null;
    this.pies.follow(creature, isJoint ? (joint === null ? [] : bonesAt(creature, joint)) : [], chosen?.kind === 'bone' ? chosen.id : null);
    const hitbox = mode === 'hitbox' && chosen?.kind === 'hitbox' ? store.hitbox(chosen.id) : undefined;
    this.handles.show(hitbox ? asBody(hitbox) : null, store.tool.value, 'local');
    this.setGround(mode === 'physics' && !store.hang.value ? this.lowest() : 0);
    if (!this.looked && creature.bones.length > 0) {
      this.looked = true;
      this.lookAtAll(false);
    }
    this.invalidate();
  }

  /** Looks at another creature as a whole. */
  lookAnew(): void {
    this.looked = true;
    this.lookAtAll(true);
  }

  /** The height of the ground on which it lies: as at rest. */
  private lowest(): number {
    const { joints, hitboxes } = this.store.creature;
    const heights = [...joints.map(({ position }) => position[2]), ...hitboxes.map(({ position, radii }) => position[2] - Math.min(...radii))];
    return heights.length > 0 ? Math.min(...heights) : 0;
  }

  // Views

  private rigOf(name: ViewName): Rig {
    if (name === 'free') return this.orbit;
    const found = this.straight.get(name);
    if (found) return found;
    const made = new Orthographic(...LOOKS[name]);
    this.straight.set(name, made);
    this.fitStraight(made);
    return made;
  }

  private arrangeViews(count: 1 | 2 | 4, names: ViewName[]): void {
    const upright = this.canvas.clientHeight > this.canvas.clientWidth;
    const shown = names.slice(0, count);
    const rectangle = (k: number): Omit<Viewport, 'rig' | 'name'> => {
      if (count === 1) return { left: 0, bottom: 0, width: 1, height: 1 };
      if (count === 2) return upright ? { left: 0, bottom: 0.5 - 0.5 * k, width: 1, height: 0.5 } : { left: 0.5 * k, bottom: 0, width: 0.5, height: 1 };
      return { left: 0.5 * (k % 2), bottom: 0.5 - 0.5 * Math.floor(k / 2), width: 0.5, height: 0.5 };
    };
    this.arrange(shown.map((name, k) => ({ name, rig: this.rigOf(name), ...rectangle(k) })));
  }

  /** The view that hands work in, if it is one to draw in. */
  isStraight(): boolean {
    return this.rig !== this.orbit;
  }

  protected override turned(): void {
    if (!this.ready) return;
    this.arrangeViews(this.store.layout.peek(), this.store.views.peek());
    this.lookAtAll(false);
  }

  /** Sees all of it in a straight view, beside the panel and above the bars. */
  private fitStraight(rig: Orthographic): void {
    const { center, size } = this.whole();
    const half = (axis: number) => {
      const along = new Vector3().setFromMatrixColumn(rig.camera.matrixWorld, axis);
      return 0.5 * (Math.abs(along.x) * size.x + Math.abs(along.y) * size.y + Math.abs(along.z) * size.z);
    };
    const alone = this.store.layout.peek() === 1 && this.canvas.clientWidth > 820;
    // Bars take more of a phone's height.
    const upright = this.canvas.clientHeight > this.canvas.clientWidth && this.store.layout.peek() === 1;
    rig.fit(center, (alone ? 1.55 : 1.12) * half(0), (upright ? 1.55 : 1.32) * half(1));
  }

  private whole(): { center: Vector3; radius: number; size: Vector3 } {
    const { joints, hitboxes } = this.store.creature;
    const reach = [...joints.map(({ position }) => ({ at: position, by: 0 })), ...hitboxes.map(({ position, radii }) => ({ at: position, by: Math.max(...radii) }))];
    const traced = this.backdrops.bounds();
    if (reach.length === 0 && traced.isEmpty()) return NOTHING;
    const [low, high] = [traced.min, traced.max];
    for (const { at, by } of reach) {
      const [x, y, z] = at;
      low.min(new Vector3(x - by, y - by, z - by));
      high.max(new Vector3(x + by, y + by, z + by));
    }
    const radius = Math.max(0.5 * high.distanceTo(low), 0.05);
    const size = high.clone().sub(low).max(new Vector3(0.05, 0.05, 0.05));
    return { center: low.add(high).multiplyScalar(0.5), radius, size };
  }

  lookAtAll(glide = true): void {
    const { center, radius } = this.whole();
    for (const rig of this.straight.values()) this.fitStraight(rig);
    this.orbit.frame(center, radius, glide);
    this.invalidate();
  }

  // What a pixel shows

  private reach(kind: string): number {
    return kind === 'touch' ? REACH.touch : REACH.mouse;
  }

  /** Metres of a finger's reach in the view that hands work in. */
  reachInMetres(kind: string): number {
    return this.reach(kind) * this.rig.metresPerPixel(this.activeHeight, this.rig.distance);
  }

  jointAt({ x, y }: Point, kind: string): number | null {
    let found: { id: number; far: number } | null = null;
    for (const [id, at] of this.bones.joints) {
      const shown = this.project(at);
      const far = Math.hypot(shown.x - x, shown.y - y);
      if (far <= this.reach(kind) && (found === null || far < found.far)) found = { id, far };
    }
    return found?.id ?? null;
  }

  boneAt({ x, y }: Point, kind: string): { id: number; at: Vector3 } | null {
    let found: { id: number; at: Vector3; far: number } | null = null;
    for (const [id, [from, to]] of this.bones.ends) {
      const [a, b] = [this.project(from), this.project(to)];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const square = dx * dx + dy * dy;
      const part = square > 0 ? Math.min(Math.max(((x - a.x) * dx + (y - a.y) * dy) / square, 0), 1) : 0.5;
      const far = Math.hypot(a.x + part * dx - x, a.y + part * dy - y);
      if (far <= 0.8 * this.reach(kind) && (found === null || far < found.far)) found = { id, at: from.clone().lerp(to, part), far };
    }
    return found && { id: found.id, at: found.at };
  }

  hitboxAt({ x, y }: Point): { id: number; bone: number; point: Vector3 } | null {
    const hit = this.meet(x, y, this.hitboxes.targets());
    return hit ? { id: hit.object.userData['hitbox'] as number, bone: hit.object.userData['bone'] as number, point: hit.point } : null;
  }

  handleAt({ x, y }: Point): Handle | null {
    const hit = this.meet(x, y, this.handles.targets);
    return (hit?.object.userData['handle'] as Handle | undefined) ?? null;
  }

  /** A line on the screen as what the session reads: metres along what is right and up in this view. */
  stroke(points: Point[], kind: string): Stroke {
    const { right, up } = this.viewAxes();
    const seen = points.map(({ x, y }): [number, number] => {
      const { origin } = this.ray(x, y);
      return [origin.dot(right), origin.dot(up)];
    });
    return { right: right.toArray(), up: up.toArray(), points: seen, reach: this.reachInMetres(kind) };
  }

  // The session

  /** Once a frame while something moves: what hands do, and what was drawn. */
  private send(): boolean {
    const { input } = this.store.link;
    if (!this.store.live.peek() && !input.waits) return false;
    const drawn = this.store.newest;
    if (drawn && this.applied === drawn) input.shown(drawn.sequence);
    this.latency.sent(input.flush());
    return false;
  }

  private apply(): boolean {
    const { newest } = this.store;
    if (!newest || newest === this.applied) return false;
    this.applied = newest;
    this.store.apply(newest);
    this.latency.came(newest.input);
    return true;
  }
}
