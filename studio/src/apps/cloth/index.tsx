// Cloth Table: a cloth over a body that follows the hand. Plain on purpose; the live path is measured with it.

import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { BufferAttribute, BufferGeometry, DoubleSide, Group, Mesh, MeshStandardMaterial, Plane, SphereGeometry, Vector3 } from 'three';

import { Pointers } from '../../input/pointers';
import { Link } from '../../link/link';
import type { Frame } from '../../link/geometry';
import type { StateFrame } from '../../link/state-frame';
import { Stage } from '../../stage/stage';
import { Button } from '../../ui/controls';
import { TopBar } from '../../ui/TopBar';
import { Latency } from '../../link/latency';
import { ClothLines, type ClothMessages } from './lines';
import { APP, APP_VERSION, type Edit, type Table } from './messages';

const [CLOTH, BODY] = [1, 2];

declare global {
  interface Window {
    /** For measurements. */
    cloth?: ClothView | ClothLines;
  }
}

export class ClothView extends Stage {
  readonly latency = new Latency();
  readonly link: Link<ClothMessages>;
  /** Frames that came and that were drawn. */
  received = 0;
  newest: StateFrame | null = null;
  private applied: StateFrame | null = null;
  private revision = 0;
  private readonly cloth = new Mesh(new BufferGeometry(), new MeshStandardMaterial({ color: '#3b8ea5', roughness: 0.8, side: DoubleSide }));
  private readonly body = new Mesh(new SphereGeometry(1, 48, 32), new MeshStandardMaterial({ color: '#f0a330', roughness: 0.4 }));
  private held: Vector3 | null = null;

  constructor(canvas: HTMLCanvasElement) {
    super(canvas);
    const group = new Group();
    this.cloth.castShadow = true;
    this.cloth.receiveShadow = true;
    this.body.castShadow = true;
    group.add(this.cloth, this.body);
    this.add({ object: group, dispose: () => {
      this.cloth.geometry.dispose();
    } });
    this.setGround(0);
    this.orbit.frame(new Vector3(0, 0, 0.3), 1.5, false);
    this.link = new Link<ClothMessages>({ name: APP, version: APP_VERSION }, {
      welcome: (facts) => {
        this.set(facts.table);
      },
      geometry: (frame) => {
        this.topology(frame);
      },
      frame: (frame) => {
        this.newest = frame;
        this.received += 1;
        this.latency.came(frame.input);
      },
    });
    const pointers = new Pointers(canvas, [
      { press: (press) => (press.shift ? null : {
        move: (sample) => {
          this.carry(sample);
        },
        release: () => {
          this.held = null;
        },
        cancel: () => {
          this.held = null;
        },
      }) },
      { press: () => ({
        move: (sample, from) => {
          this.orbit.turn(sample.x - from.x, sample.y - from.y);
          this.invalidate();
        },
        release: () => undefined,
        cancel: () => undefined,
      }) },
    ], {
      wheel: (event) => {
        this.orbit.zoom(Math.exp(-event.deltaY * 0.0012));
        this.invalidate();
      },
    });
    this.disposers.push(
      () => {
        pointers.dispose();
      },
      this.every('send', () => {
        if (this.applied) this.link.input.shown(this.applied.sequence);
        const sequence = this.link.input.flush();
        this.latency.sent(sequence);
        return false;
      }),
      this.every('apply', () => this.apply()),
    );
    this.onDrawn.add(() => {
      if (this.applied) this.latency.drawn(this.applied.input);
    });
  }

  /** The frame that is on the screen. */
  get shown(): number {
    return this.applied?.sequence ?? 0;
  }

  set(table: Table): void {
    this.body.scale.set(...table.radii);
    this.edit({ set: { table } });
  }

  edit(edit: Edit): void {
    this.revision += 1;
    this.link.edit(this.revision, edit);
  }

  override dispose(): void {
    this.link.close();
    super.dispose();
  }

  /** The body goes under the pointer, on the table. */
  private carry({ x, y }: { x: number; y: number }): void {
    const at = this.ray(x, y).intersectPlane(new Plane(new Vector3(0, 0, 1), -this.body.position.z), new Vector3());
    if (!at) return;
    this.held = at.clampLength(0, 1.5);
    this.link.input.move({ control: 0, object: BODY, values: [this.held.x, this.held.y, 0] });
    this.latency.touched(performance.now());
  }

  private topology(frame: Frame): void {
    const { geometry } = this.cloth;
    geometry.setAttribute('position', new BufferAttribute(frame.positions, 3));
    geometry.setIndex(new BufferAttribute(frame.triangles, 1));
    geometry.computeVertexNormals();
  }

  private apply(): boolean {
    const frame = this.newest;
    if (!frame || frame === this.applied) return false;
    this.applied = frame;
    const positions = frame.positions.get(CLOTH);
    const { geometry } = this.cloth;
    const attribute = geometry.getAttribute('position') as BufferAttribute | undefined;
    if (positions && attribute && attribute.array.length === positions.length) {
      attribute.copyArray(positions);
      attribute.needsUpdate = true;
      // The client knows the topology, so normals need not travel.
      geometry.computeVertexNormals();
      geometry.computeBoundingSphere();
    }
    const [pose] = frame.poses.get(BODY) ?? [];
    // Under the cloth the body stays in the cloth's frame, so that nothing pokes through.
    if (pose) this.body.position.set(...pose.position);
    return true;
  }
}

export function Page(): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const made = useMemo<{ view: ClothView | null }>(() => ({ view: null }), []);
  useEffect(() => {
    if (!canvas.current) return undefined;
    const view = location.hash.endsWith('?lines') ? new ClothLines(canvas.current) : new ClothView(canvas.current);
    made.view = view instanceof ClothView ? view : null;
    window.cloth = view;
    return () => {
      view.dispose();
      delete window.cloth;
    };
  }, []);
  return (
    <div class="lab">
      <TopBar title="Cloth Table">
        <span class="spacer" />
        <Button icon="turn" label="Drop the cloth anew" onClick={() => {
          const table = made.view?.link.facts.peek()?.table;
          if (table) made.view?.set(table);
        }} />
      </TopBar>
      <main class="lab-main">
        <canvas ref={canvas} class="stage" tabIndex={0} aria-label="A cloth over a body" />
      </main>
    </div>
  );
}
