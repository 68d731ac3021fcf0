// Terrain Cloth's stage: the cloth and what is under, on and around it, drawn from the newest frame; or the walker's view of it.

import { effect } from '@preact/signals';
import { Vector3 } from 'three';

import type { StateFrame } from '../../link/state-frame';
import { Stage } from '../../stage/stage';
import { ClothLayer, type ClothHit } from './cloth';
import { HandlesLayer, type HandleKind } from './handles';
import { HillsLayer } from './hills';
import { Latency } from '../../link/latency';
import { PinsLayer } from './pins';
import { CLOTH, type Store } from './store';
import { Surroundings } from './surroundings';
import { Walking } from './walking';
import { WalkerLayer, WalkRig } from './walker';

export class View extends Stage {
  readonly cloth = new ClothLayer();
  readonly hills = new HillsLayer();
  readonly handles = new HandlesLayer();
  readonly pins = new PinsLayer();
  readonly walking: Walking;
  readonly latency = new Latency();
  /** The frame that is drawn. */
  applied: StateFrame | null = null;
  private newest: StateFrame | null = null;
  private readonly walkRig = new WalkRig();
  private readonly walker: WalkerLayer;

  constructor(canvas: HTMLCanvasElement, private readonly store: Store) {
    super(canvas);
    const facts = store.link.facts.peek();
    const surroundings = new Surroundings(facts?.reach ?? 1, this.cloth.uniforms);
    this.walker = new WalkerLayer(facts?.walker ?? 0.0425);
    this.walking = new Walking(store.link.input);
    for (const layer of [surroundings, this.cloth, this.hills, this.pins, this.handles, this.walker]) this.add(layer);
    this.setGround(null);
    this.orbit.azimuth = -1.15;
    this.orbit.elevation = 0.5;
    this.lookAtAll(false);
    store.onGeometry = (frame) => {
      if (frame.id === CLOTH) this.cloth.topology(frame);
      this.invalidate();
    };
    store.onFrame = (frame) => {
      this.newest = frame;
      this.latency.came(frame.input);
    };
    this.disposers.push(
      effect(() => {
        const { hills } = store.document.value.value;
        const [chosen, held] = [store.chosen.value, store.walking.value];
        this.hills.follow(hills, held ? [] : chosen);
        this.handles.follow(held ? null : (hills.find(({ id }) => id === chosen.at(-1)) ?? null));
        this.invalidate();
      }),
      effect(() => {
        const look = store.walking.value ? 'terrain' : store.look.value;
        surroundings.show(look);
        this.cloth.show(look);
        this.hills.show(look);
        // The walker's metres are shorter: so is what it sees through fog.
        this.cloth.uniforms.fog.value = store.walking.value ? 0.16 : 0.035;
        this.invalidate();
      }),
      effect(() => {
        const walking = store.walking.value;
        this.walker.object.visible = walking;
        this.pins.object.visible = !walking;
        this.arrange([{ rig: walking ? this.walkRig : this.orbit, left: 0, bottom: 0, width: 1, height: 1 }]);
        if (walking) this.walking.begin();
        this.invalidate();
      }),
      effect(() => {
        this.followPins();
      }),
      this.every('send', () => this.send()),
      this.every('apply', () => this.apply()),
    );
    this.onDrawn.add(() => {
      if (this.applied) this.latency.drawn(this.applied.input);
    });
  }

  /** Width of the canvas, in pixels. */
  get wide(): number {
    return this.canvas.clientWidth;
  }

  /** What a pixel shows. */
  handleAt(x: number, y: number): HandleKind | null {
    const hit = this.meet(x, y, this.handles.targets());
    return (hit?.object.userData['handle'] as HandleKind | undefined) ?? null;
  }

  hillAt(x: number, y: number): { id: number; point: Vector3 } | null {
    const hit = this.meet(x, y, this.hills.targets());
    return hit ? { id: hit.object.userData['hill'] as number, point: hit.point } : null;
  }

  pinAt(x: number, y: number): { id: number; point: Vector3 } | null {
    const hit = this.meet(x, y, this.pins.targets());
    return hit ? { id: hit.object.userData['pin'] as number, point: hit.point } : null;
  }

  clothAt(x: number, y: number): ClothHit | null {
    return this.cloth.meet(this.ray(x, y));
  }

  lookAtAll(glide = true): void {
    this.orbit.frame(new Vector3(0, 0, 0.12), 1.12, glide);
    this.invalidate();
  }

  protected override turned(): void {
    this.lookAtAll(false);
  }

  /** Once a frame while something moves: what hands do, and what was drawn. */
  private send(): boolean {
    const { input } = this.store.link;
    const live = this.store.state.peek()?.resting === false;
    if (!live && !input.waits) return false;
    if (this.store.walking.peek()) this.walking.send();
    if (this.applied) input.shown(this.applied.sequence);
    this.latency.sent(input.flush());
    return false;
  }

  private apply(): boolean {
    const frame = this.newest;
    if (!frame || frame === this.applied) return false;
    const positions = frame.positions.get(CLOTH);
    if (positions) this.cloth.place(positions);
    this.hills.place(frame);
    if (this.walker.place(frame)) this.walkRig.place(frame);
    this.applied = frame;
    this.followPins();
    return true;
  }

  private followPins(): void {
    const { pins, side } = this.store.document.value.value.settings;
    const vertex = ([u, v]: [number, number]) => Math.round(u * (side - 1)) + side * Math.round(v * (side - 1));
    const known = this.cloth.object.geometry.getAttribute('position') as { count: number } | undefined;
    this.pins.follow(pins, this.store.pin.value, (pin) => (known?.count === side * side ? this.cloth.vertex(vertex(pin.place)) : new Vector3(...pin.at)));
    this.invalidate();
  }
}
