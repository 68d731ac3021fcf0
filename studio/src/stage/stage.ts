// The three-dimensional view that apps draw in: one renderer, one canvas, one or more viewports with a rig each, and layers
// that apps add. It draws only when something has changed.

import './stage.css';

import { effect, signal } from '@preact/signals';
import {
  Color, DirectionalLight, HemisphereLight, Mesh, NeutralToneMapping, type Object3D, OrthographicCamera, PCFShadowMap, PlaneGeometry,
  Raycaster, Scene as Space, ShaderMaterial, ShadowMaterial, Vector2, Vector3, WebGLRenderer, type Ray,
} from 'three';

import { meter } from '../base/meter';
import { theme } from '../base/theme';
import { Orbit, type Rig } from './camera';
import { STAGE, type StageColours } from './palette';
import { Quality } from './quality';

/** How large a pixel is at a point, and what a layer may keep its marks' size by. */
export interface Sizes {
  metresPerPixelAt: (point: Vector3) => number;
  /** The same, larger on walls and smaller in thumbnails. */
  markAt: (point: Vector3) => number;
  handleAt: (point: Vector3) => number;
  /** The way one looks at a point. */
  sightAt: (point: Vector3) => Vector3;
  /** Of a pixel in a metre's distance. */
  perDistance: number;
}

/** A part of what is shown. */
export interface Layer {
  object: Object3D;
  shownIn?(viewport: Viewport): boolean;
  resize?(sizes: Sizes): void;
  theme?(colours: StageColours): void;
  dispose?(): void;
}

/** What panels cover along the borders of the canvas, in pixels. */
export interface Margins {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A rectangle of what panels leave free, in parts of it from the lower left corner, with its way of looking. */
export interface Viewport {
  /** As people read it in its corner. */
  name?: string;
  rig: Rig;
  left: number;
  bottom: number;
  width: number;
  height: number;
}

/** The same on the canvas, in pixels from its upper left corner. */
export interface Rectangle {
  name: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What happens in a frame, in this order. */
export type Phase = 'input' | 'send' | 'apply' | 'update';
const PHASES: Phase[] = ['input', 'send', 'apply', 'update'];

/** Where the light comes from. */
const SUN = new Vector3(3, -4, 9);

export class Stage {
  readonly orbit = new Orbit();
  /** Where the viewports are, while there are several. */
  readonly layout = signal<Rectangle[]>([]);
  /** Called after every drawn frame. */
  readonly onDrawn = new Set<() => void>();
  frames = 0;
  protected readonly disposers: (() => void)[] = [];
  private readonly renderer: WebGLRenderer;
  private readonly space = new Space();
  private readonly layers = new Set<Layer>();
  private readonly sun = new DirectionalLight('#fff6e8', 2.1);
  private readonly fill = new DirectionalLight('#dfe9ff', 1.1);
  private readonly sky = new HemisphereLight('#ffffff', '#cdb899', 2.1);
  private readonly ground: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private readonly raycaster = new Raycaster();
  private readonly observer: ResizeObserver;
  private readonly runs = new Map<Phase, Set<(now: number) => boolean>>(PHASES.map((phase) => [phase, new Set()]));
  private viewports: Viewport[] = [{ rig: this.orbit, left: 0, bottom: 0, width: 1, height: 1 }];
  /** The one that hands work in. */
  private active = this.viewports[0] as Viewport;
  private dirty = true;
  /** A camera is on its way. */
  private gliding = false;
  private readonly quality = new Quality();
  private running = true;
  private covered = { right: 0, bottom: 0 };
  private margins: Margins = { left: 0, top: 0, right: 0, bottom: 0 };
  private width = 1;
  private height = 1;
  /** Where the camera looks, in the frame that is being drawn. */
  private readonly looking = new Vector3();
  private readonly between = new Vector3();

  constructor(protected readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
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
    this.space.add(this.sun, this.sun.target, this.sky, this.fill, this.ground, this.grid);

    this.disposers.push(
      effect(() => {
        this.applyTheme(STAGE[theme.value]);
      }),
    );
    // A lost context comes back empty; all that is drawn is still known.
    const lost = (event: Event) => {
      event.preventDefault();
    };
    const restored = () => {
      this.invalidate();
    };
    canvas.addEventListener('webglcontextlost', lost);
    canvas.addEventListener('webglcontextrestored', restored);
    this.disposers.push(() => {
      canvas.removeEventListener('webglcontextlost', lost);
      canvas.removeEventListener('webglcontextrestored', restored);
    });
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

  /** Whether what is shown is drawn, as finely as can be, and no camera is on its way. */
  get isClean(): boolean {
    return !this.dirty && !this.gliding && this.quality.isFull;
  }

  dispose(): void {
    this.running = false;
    this.observer.disconnect();
    for (const dispose of this.disposers) dispose();
    for (const layer of this.layers) layer.dispose?.();
    this.renderer.dispose();
    // Otherwise the context would live until the canvas is collected.
    this.renderer.forceContextLoss();
  }

  // What is shown

  /** Adds a layer; returns how to take it away. */
  add(layer: Layer): () => void {
    this.layers.add(layer);
    this.space.add(layer.object);
    layer.theme?.(STAGE[theme.peek()]);
    this.invalidate();
    return () => {
      this.layers.delete(layer);
      this.space.remove(layer.object);
      layer.dispose?.();
      this.invalidate();
    };
  }

  /** Divides the canvas into viewports, at least one; hands work in the first until they enter another. */
  arrange(viewports: Viewport[]): void {
    const [first] = viewports;
    if (!first) return;
    this.viewports = viewports;
    this.active = first;
    this.resize();
  }

  /** How each viewport looks. */
  protected get rigs(): Rig[] {
    return this.viewports.map(({ rig }) => rig);
  }

  /** Height of the viewport in which hands work, in pixels. */
  get activeHeight(): number {
    return this.rectangle(this.active).height;
  }

  /** How the viewport in which hands work looks. */
  get rig(): Rig {
    return this.active.rig;
  }

  /** Hands work in the viewport at this place from here on: rays, directions and places on the canvas are its own. */
  enter(x: number, y: number): Viewport {
    const isInside = (viewport: Viewport) => {
      const { left, top, width, height } = this.rectangle(viewport);
      return x >= left && x < left + width && y >= top && y < top + height;
    };
    this.active = this.viewports.find(isInside) ?? this.active;
    return this.active;
  }

  /** Where a viewport is. One alone has the whole canvas, and looks past what panels cover; several share what these leave free. */
  rectangle({ name = '', left, bottom, width, height }: Viewport): Rectangle {
    if (this.viewports.length === 1) return { name, left: 0, top: 0, width: this.width, height: this.height };
    const { margins } = this;
    const [wide, high] = [Math.max(this.width - margins.left - margins.right, 1), Math.max(this.height - margins.top - margins.bottom, 1)];
    return { name, left: margins.left + left * wide, top: margins.top + (1 - bottom - height) * high, width: width * wide, height: height * high };
  }

  /** Runs something in every animation frame; it returns whether there is something new to draw. */
  every(phase: Phase, run: (now: number) => boolean): () => void {
    this.runs.get(phase)?.add(run);
    return () => {
      this.runs.get(phase)?.delete(run);
    };
  }

  /** Puts the ground at a height; without one there is none. */
  setGround(height: number | null): void {
    for (const mesh of [this.ground, this.grid]) {
      mesh.visible = height !== null;
      mesh.position.z = height ?? 0;
    }
  }

  /** The canvas as a picture. */
  png(): Promise<Blob> {
    this.draw();
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => {
        if (blob) resolve(blob);
        else reject(new Error('the picture could not be made'));
      }, 'image/png');
    });
  }

  // Looking

  ray(x: number, y: number): Ray {
    const { left, top, width, height } = this.rectangle(this.active);
    const pointer = new Vector2((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height);
    this.raycaster.setFromCamera(pointer, this.active.rig.camera);
    return this.raycaster.ray.clone();
  }

  /** What the ray through a pixel meets first. */
  protected meet(x: number, y: number, targets: Object3D[]): { object: Object3D; point: Vector3 } | null {
    // Marks and handles have the size of the viewport that was drawn last.
    if (this.viewports.length > 1) this.fit(this.active);
    this.ray(x, y);
    return this.raycaster.intersectObjects(targets, false)[0] ?? null;
  }

  viewDirection(): Vector3 {
    return this.active.rig.camera.getWorldDirection(new Vector3());
  }

  viewAxes(): { right: Vector3; up: Vector3 } {
    const { matrixWorld } = this.active.rig.camera;
    return { right: new Vector3().setFromMatrixColumn(matrixWorld, 0), up: new Vector3().setFromMatrixColumn(matrixWorld, 1) };
  }

  /** Where a point of the world is on the canvas. */
  project(point: Vector3): { x: number; y: number } {
    const projected = point.clone().project(this.active.rig.camera);
    const { left, top, width, height } = this.rectangle(this.active);
    return { x: left + ((projected.x + 1) / 2) * width, y: top + ((1 - projected.y) / 2) * height };
  }

  private applyTheme(colours: StageColours): void {
    this.ground.material.opacity = colours.shadow;
    (this.grid.material.uniforms['colour'] as { value: Color }).value.set(colours.grid);
    this.sky.intensity = 2.1 * colours.light;
    for (const layer of this.layers) layer.theme?.(colours);
    this.invalidate();
  }

  // Drawing

  /** Keeps what is looked at in the middle of what panels leave free. */
  cover(right: number, bottom: number): void {
    if (right === this.covered.right && bottom === this.covered.bottom) return;
    this.covered = { right, bottom };
    this.resize();
  }

  /** Keeps several viewports clear of panels on all sides. */
  leaveFree(margins: Margins): void {
    if (Object.entries(margins).every(([side, pixels]) => this.margins[side as keyof Margins] === pixels)) return;
    this.margins = margins;
    if (this.viewports.length > 1) this.resize();
  }

  /** The window turned from wide to narrow or back. */
  protected turned(): void {
    // Nothing to be looked at anew.
  }

  private resize(): void {
    this.width = Math.max(this.canvas.clientWidth, 1);
    this.height = Math.max(this.canvas.clientHeight, 1);
    this.size();
    const wasWide = this.orbit.camera.aspect >= 1;
    const covered = this.viewports.length === 1 ? this.covered : { right: 0, bottom: 0 };
    for (const viewport of this.viewports) {
      const { width, height } = this.rectangle(viewport);
      viewport.rig.resize(width, height, covered);
    }
    this.layout.value = this.viewports.length === 1 ? [] : this.viewports.map((viewport) => this.rectangle(viewport));
    if (wasWide !== this.orbit.camera.aspect >= 1) this.turned();
    this.draw();
  }

  /** As many pixels as are wanted at the moment. */
  private size(): void {
    this.renderer.setPixelRatio(this.quality.fineness.pixels * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(this.width, this.height, false);
  }

  private readonly tick = (now: number) => {
    if (!this.running) return;
    requestAnimationFrame(this.tick);
    meter.work(() => {
      for (const phase of PHASES) for (const run of this.runs.get(phase) ?? []) if (run(now)) this.dirty = true;
      this.gliding = this.viewports.filter(({ rig }) => rig.glide(now)).length > 0;
      if (this.gliding) this.dirty = true;
    });
    if (this.dirty ? this.quality.draw(now) : this.quality.rest(now)) {
      this.size();
      this.dirty = true;
    }
    if (!this.dirty) return;
    meter.work(() => {
      this.draw(this.frames % this.quality.fineness.shadows === 0);
    });
    meter.frame();
  };

  private draw(withShadows = true): void {
    this.dirty = false;
    const { renderer } = this;
    const several = this.viewports.length > 1;
    if (several) {
      // What lies between the viewports and the borders of the canvas.
      renderer.setScissorTest(false);
      renderer.clear();
    }
    renderer.setScissorTest(several);
    for (const viewport of this.viewports) {
      const { left, top, width, height } = this.rectangle(viewport);
      const bottom = this.height - top - height;
      renderer.setViewport(left, bottom, width, height);
      if (several) renderer.setScissor(left, bottom, width, height);
      this.prepare(viewport);
      // The light follows each view.
      renderer.shadowMap.needsUpdate = withShadows || several;
      renderer.render(this.space, viewport.rig.camera);
    }
    this.frames += 1;
    for (const listener of this.onDrawn) listener();
  }

  /** Shows layers at their sizes in one viewport. */
  private fit(viewport: Viewport): void {
    const { camera } = viewport.rig;
    const { width, height } = this.rectangle(viewport);
    // In a small picture the marks are smaller too, and on a wall larger.
    const side = Math.min(width, height);
    const scale = side < 1300 ? Math.min(Math.max(side / 560, 0.5), 1) : Math.min(side / 1200, 3);
    camera.getWorldDirection(this.looking);
    const metresPerPixelAt = (point: Vector3) => {
      const depth = this.between.copy(point).sub(camera.position).dot(this.looking);
      return viewport.rig.metresPerPixel(height, Math.max(depth, 0.01));
    };
    const sizes: Sizes = {
      metresPerPixelAt,
      markAt: (point) => scale * metresPerPixelAt(point),
      handleAt: (point) => Math.max(scale, 1) * metresPerPixelAt(point),
      sightAt: (point) => (camera instanceof OrthographicCamera ? this.looking.clone() : point.clone().sub(camera.position).normalize()),
      perDistance: viewport.rig.metresPerPixel(height, viewport.rig.distance) / viewport.rig.distance,
    };
    for (const layer of this.layers) {
      if (layer.shownIn) layer.object.visible = layer.shownIn(viewport);
      layer.resize?.(sizes);
    }
  }

  /** Sizes and light for one viewport. */
  private prepare(viewport: Viewport): void {
    this.fit(viewport);
    const { target, distance } = viewport.rig;
    // The shadow follows the view.
    this.sun.target.position.copy(target);
    this.sun.position.copy(target).add(SUN);
    const reach = Math.min(Math.max(distance * 0.6, 2.5), 20);
    const shadow = this.sun.shadow.camera;
    Object.assign(shadow, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1, far: 40 });
    shadow.updateProjectionMatrix();
    (this.grid.material.uniforms['centre'] as { value: Vector2 }).value.set(target.x, target.y);
    (this.grid.material.uniforms['reach'] as { value: number }).value = Math.max(distance * 1.1, 4);
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
