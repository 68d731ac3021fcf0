// The three-dimensional view of a document: bodies, contacts, traces, handles. It draws only when something has changed.

import { effect } from '@preact/signals';
import {
  Color, DirectionalLight, Group, HemisphereLight, Mesh, NeutralToneMapping, PCFShadowMap, PlaneGeometry,
  Raycaster, Scene as Space, ShaderMaterial, ShadowMaterial, Vector2, Vector3, WebGLRenderer, type Ray,
} from 'three';

import { theme } from '../app/theme';
import type { Store } from '../lab/store';
import type { Frame } from '../protocol/frame';
import { BodyView } from './bodies';
import { Orbit } from './camera';
import { drawContacts, drawImpacts } from './contacts';
import { Handles, type Handle } from './handles';
import { Marks } from './marks';
import { meter } from './meter';
import { STAGE } from './palette';
import { drawTrace } from './traces';

export interface Hit {
  id: number;
  handle: Handle | null;
}

export interface StageOptions {
  /** Handles, traces and hovering; a thumbnail has none. */
  interactive: boolean;
  /** Looks at new scenes from this part of the distance that shows all of them. */
  closeness?: number;
}

/** Where the light comes from. */
const SUN = new Vector3(3, -4, 9);

export class Stage {
  readonly orbit = new Orbit();
  /** Called after every drawn frame. */
  readonly onDrawn = new Set<() => void>();
  frames = 0;
  private readonly renderer: WebGLRenderer;
  private readonly space = new Space();
  private readonly bodies = new Map<number, BodyView>();
  private readonly bodyGroup = new Group();
  private readonly contacts = new Marks();
  private readonly trace = new Marks();
  private readonly impacts = new Marks();
  private readonly handles = new Handles();
  private readonly sun = new DirectionalLight('#fff6e8', 2.1);
  private readonly fill = new DirectionalLight('#dfe9ff', 1.1);
  private readonly sky = new HemisphereLight('#ffffff', '#cdb899', 2.1);
  private readonly ground: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly raycaster = new Raycaster();
  private readonly disposers: (() => void)[] = [];
  private readonly observer: ResizeObserver;
  private dirty = true;
  private running = true;
  private framed: string | null = null;
  private covered = { right: 0, bottom: 0 };
  private width = 1;
  private height = 1;
  /** Where the camera looks, in the frame that is being drawn. */
  private readonly looking = new Vector3();
  private readonly between = new Vector3();

  constructor(private readonly canvas: HTMLCanvasElement, private readonly store: Store, private readonly options: StageOptions) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.fill.position.set(-6, 3, 2);

    this.sun.position.copy(SUN);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.03;
    // Open surfaces are seen from both sides, and would shade themselves.
    this.sun.shadow.bias = -0.0012;
    this.ground = new Mesh(new PlaneGeometry(80, 80), new ShadowMaterial({ depthWrite: false }));
    this.ground.receiveShadow = true;
    this.grid = new Mesh(new PlaneGeometry(80, 80), gridMaterial());
    this.space.add(this.bodyGroup, this.contacts, this.trace, this.impacts, this.sun, this.sun.target, this.sky, this.fill, this.ground, this.grid);
    if (options.interactive) this.space.add(this.handles);

    this.store.onFrame = (frame) => {
      this.receive(frame);
    };
    this.disposers.push(
      effect(() => {
        this.placeBodies();
      }),
      effect(() => {
        this.applyTheme();
      }),
      effect(() => {
        drawContacts(this.contacts, store.contacts.value, store.contact.value, STAGE[theme.value]);
        this.invalidate();
      }),
      effect(() => {
        drawImpacts(this.impacts, options.interactive && !store.traceWanted.value ? store.plot.value : null, STAGE[theme.value]);
        this.invalidate();
      }),
      effect(() => {
        drawTrace(this.trace, store.traceWanted.value ? store.trace.value : null, store.step.value);
        this.contacts.visible = !store.traceWanted.value;
        this.invalidate();
      }),
      effect(() => {
        this.handles.show(options.interactive ? store.selected.value : null, store.tool.value);
        this.invalidate();
      }),
    );
    this.observer = new ResizeObserver(() => {
      this.resize();
    });
    this.observer.observe(canvas);
    this.resize();
    requestAnimationFrame(this.tick);
  }

  invalidate(): void {
    this.dirty = true;
  }

  dispose(): void {
    this.running = false;
    this.observer.disconnect();
    for (const dispose of this.disposers) dispose();
    for (const body of this.bodies.values()) body.dispose();
    for (const marks of [this.contacts, this.trace, this.impacts]) marks.dispose();
    this.renderer.dispose();
  }

  /** Meshes other than bodies' go to whoever asked for them. */
  readonly onPreview = new Set<(frame: Frame) => void>();

  // Looking

  /** The geometry of a body, in its own frame. */
  bodyView(id: number): BodyView | undefined {
    return this.bodies.get(id);
  }

  ray(x: number, y: number): Ray {
    const pointer = new Vector2((2 * x) / this.width - 1, 1 - (2 * y) / this.height);
    this.raycaster.setFromCamera(pointer, this.orbit.camera);
    return this.raycaster.ray.clone();
  }

  pick(x: number, y: number): Hit | null {
    this.ray(x, y);
    const handle = this.raycaster.intersectObjects(this.handles.targets, false)[0];
    if (handle) {
      return { id: handle.object.userData['body'] as number, handle: handle.object.userData['handle'] as Handle };
    }
    const targets = [...this.bodies.values()].flatMap((body) => body.targets);
    const found = this.raycaster.intersectObjects(targets, false)[0];
    if (!found) return null;
    const id = found.object.parent?.userData['body'] as number | undefined;
    const body = this.store.scene.peek().bodies.find((other) => other.id === id);
    // A plane fills the view: it is chosen from the list, and moved by its handles.
    if (id === undefined || !body || (body.type === 'plane' && this.store.selection.peek() !== id)) return null;
    return { id, handle: null };
  }

  hover(x: number, y: number): void {
    const hit = this.pick(x, y);
    this.canvas.style.cursor = hit ? (hit.handle ? 'pointer' : 'grab') : '';
  }

  viewDirection(): Vector3 {
    return this.orbit.camera.getWorldDirection(new Vector3());
  }

  viewAxes(): { right: Vector3; up: Vector3 } {
    const { matrixWorld } = this.orbit.camera;
    return { right: new Vector3().setFromMatrixColumn(matrixWorld, 0), up: new Vector3().setFromMatrixColumn(matrixWorld, 1) };
  }

  /** Looks at one body, or at all of them. */
  frame(id: number | null, glide = true): void {
    const views = id === null ? [...this.bodies.entries()] : [...this.bodies.entries()].filter(([other]) => other === id);
    const solid = views.filter(([other]) => this.store.scene.peek().bodies.find((body) => body.id === other)?.type !== 'plane');
    if (solid.length === 0) return;
    const center = new Vector3();
    for (const [, view] of solid) center.add(view.group.position);
    center.divideScalar(solid.length);
    const radius = (this.options.closeness ?? 1) * Math.max(...solid.map(([, view]) => view.group.position.distanceTo(center) + view.reach));
    this.orbit.frame(center, Math.max(radius, 0.3), glide);
    this.invalidate();
  }

  /** Where a point of the world is on the canvas. */
  project(point: Vector3): { x: number; y: number } {
    const projected = point.clone().project(this.orbit.camera);
    return { x: ((projected.x + 1) / 2) * this.width, y: ((1 - projected.y) / 2) * this.height };
  }

  private readonly metresPerPixelAt = (point: Vector3): number => {
    const depth = this.between.copy(point).sub(this.orbit.camera.position).dot(this.looking);
    return this.orbit.metresPerPixel(this.height, Math.max(depth, 0.01));
  };

  // Following the document

  private placeBodies(): void {
    const { bodies, name } = this.store.scene.value;
    const selection = this.store.selection.value;
    const present = new Set(bodies.map((body) => body.id));
    for (const [id, view] of this.bodies) {
      if (present.has(id)) continue;
      this.bodyGroup.remove(view.group);
      view.dispose();
      this.bodies.delete(id);
    }
    for (const [index, body] of bodies.entries()) {
      let view = this.bodies.get(body.id);
      if (view && !view.fits(body)) {
        this.bodyGroup.remove(view.group);
        view.dispose();
        view = undefined;
      }
      if (!view) {
        view = new BodyView(body, index, STAGE[theme.peek()]);
        this.bodies.set(body.id, view);
        this.bodyGroup.add(view.group);
      }
      view.place(body);
      view.select(this.options.interactive && body.id === selection);
    }
    if (name !== this.framed) this.framed = null;
    this.invalidate();
  }

  private receive(frame: Frame): void {
    if (frame.kind === 'preview') {
      for (const listener of this.onPreview) listener(frame);
      return;
    }
    this.bodies.get(frame.id)?.show(frame);
    const { bodies, name } = this.store.scene.peek();
    this.bodies.get(frame.id)?.select(this.options.interactive && this.store.selection.peek() === frame.id);
    // A new scene is looked at as soon as all of it is there.
    if (this.framed === null && frame.id === bodies.filter((body) => body.type !== 'point' && body.type !== 'segment').at(-1)?.id) {
      this.framed = name;
      this.settle();
    }
    this.invalidate();
  }

  /** Puts the ground below the bodies and looks at them all. */
  private settle(): void {
    const { bodies } = this.store.scene.peek();
    const onTable = bodies.some((body) => body.type === 'plane');
    const lowest = Math.min(0, ...[...this.bodies.values()].map((view) => view.group.position.z - view.reach));
    for (const mesh of [this.ground, this.grid]) mesh.position.z = lowest - 0.02;
    this.ground.visible = !onTable;
    this.grid.visible = !onTable;
    this.frame(null, false);
  }

  private applyTheme(): void {
    const colours = STAGE[theme.value];
    this.ground.material.opacity = colours.shadow;
    (this.grid.material.uniforms['colour'] as { value: Color }).value.set(colours.grid);
    this.sky.intensity = 2.1 * colours.light;
    for (const view of this.bodies.values()) view.theme(colours);
    this.invalidate();
  }

  // Drawing

  /** Keeps what is looked at in the middle of what panels leave free. */
  cover(right: number, bottom: number): void {
    if (right === this.covered.right && bottom === this.covered.bottom) return;
    this.covered = { right, bottom };
    this.resize();
  }

  private resize(): void {
    this.width = Math.max(this.canvas.clientWidth, 1);
    this.height = Math.max(this.canvas.clientHeight, 1);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(this.width, this.height, false);
    const wasWide = this.orbit.camera.aspect >= 1;
    this.orbit.resize(this.width, this.height, this.covered);
    if (wasWide !== this.orbit.camera.aspect >= 1) this.frame(null, false);
    this.draw();
  }

  private readonly tick = (now: number) => {
    if (!this.running) return;
    requestAnimationFrame(this.tick);
    if (this.orbit.glide(now)) this.dirty = true;
    if (!this.dirty) return;
    meter.work(() => {
      this.draw();
    });
    meter.frame();
  };

  private draw(): void {
    this.dirty = false;
    const { camera, target, distance } = this.orbit;
    // In a small picture the marks are smaller too, and on a wall larger.
    const side = Math.min(this.width, this.height);
    const scale = side < 1300 ? Math.min(Math.max(side / 560, 0.5), 1) : Math.min(side / 1200, 3);
    camera.getWorldDirection(this.looking);
    const markSize = (point: Vector3) => scale * this.metresPerPixelAt(point);
    const handleSize = (point: Vector3) => Math.max(scale, 1) * this.metresPerPixelAt(point);
    for (const marks of [this.contacts, this.trace, this.impacts]) marks.resize(markSize);
    this.handles.resize(handleSize);
    const perDistance = this.orbit.metresPerPixel(this.height, 1);
    for (const view of this.bodies.values()) view.scale(this.metresPerPixelAt, perDistance);
    // The shadow follows the view.
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).add(SUN);
    const reach = Math.min(Math.max(distance * 0.6, 2.5), 20);
    const shadow = this.sun.shadow.camera;
    Object.assign(shadow, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1, far: 40 });
    shadow.updateProjectionMatrix();
    (this.grid.material.uniforms['centre'] as { value: Vector2 }).value.set(target.x, target.y);
    (this.grid.material.uniforms['reach'] as { value: number }).value = Math.max(distance * 1.1, 4);
    this.renderer.render(this.space, camera);
    this.frames += 1;
    for (const listener of this.onDrawn) listener();
  }
}

/** Lines a metre apart that fade with the distance from where one looks. */
function gridMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { colour: { value: new Color() }, centre: { value: new Vector2() }, reach: { value: 10 } },
    vertexShader: `varying vec2 place;
      void main() {
        vec4 world = modelMatrix * vec4(position, 1.0);
        place = world.xy;
        gl_Position = projectionMatrix * viewMatrix * world;
      }`,
    fragmentShader: `uniform vec3 colour; uniform vec2 centre; uniform float reach; varying vec2 place;
      float lines(vec2 at) {
        vec2 width = fwidth(at);
        vec2 off = abs(fract(at - 0.5) - 0.5) / max(width, 1e-6);
        return 1.0 - min(min(off.x, off.y), 1.0);
      }
      void main() {
        float fade = 1.0 - smoothstep(0.15, 1.0, distance(place, centre) / reach);
        float strength = max(0.10 * lines(place * 2.0), 0.24 * lines(place));
        gl_FragColor = vec4(colour, strength * fade);
        #include <colorspace_fragment>
      }`,
  });
}
