// Contact Lab on the stage: bodies, contacts, moments of contact, traces and handles, each a layer that follows the document.

import { effect } from '@preact/signals';
import { Group, Vector3 } from 'three';

import { theme } from '../../base/theme';
import type { Frame } from '../../link/geometry';
import { BodyView } from '../../shapes/bodies';
import { isLine, isUnbounded } from '../../shapes/forms';
import { Marks } from '../../stage/marks';
import { STAGE } from '../../stage/palette';
import { Orthographic } from '../../stage/camera';
import { Stage, type Viewport } from '../../stage/stage';
import { Handles, type Handle } from '../../widgets/handles';
import { drawContacts, drawImpacts } from './contacts';
import type { Store } from './store';
import { drawTrace } from './traces';

export interface Hit {
  id: number;
  handle: Handle | null;
}

export interface ViewOptions {
  /** Handles, traces and hovering; a thumbnail has none. */
  interactive: boolean;
  /** Looks at new scenes from this part of the distance that shows all of them. */
  closeness?: number;
}

export class View extends Stage {
  private readonly bodies = new Map<number, BodyView>();
  private readonly bodyGroup = new Group();
  private readonly handles = new Handles();
  private framed: string | null = null;
  private readonly one: Viewport[] = [{ rig: this.orbit, left: 0, bottom: 0, width: 1, height: 1 }];
  /** As drawings are laid out: from above over from the front, from the right beside it. */
  private readonly four: Viewport[] = [
    { name: 'Perspective', rig: this.orbit, left: 0.5, bottom: 0.5, width: 0.5, height: 0.5 },
    { name: 'Top', rig: new Orthographic(new Vector3(0, 0, -1), new Vector3(0, 1, 0)), left: 0, bottom: 0.5, width: 0.5, height: 0.5 },
    { name: 'Front', rig: new Orthographic(new Vector3(0, 1, 0)), left: 0, bottom: 0, width: 0.5, height: 0.5 },
    { name: 'Right', rig: new Orthographic(new Vector3(-1, 0, 0)), left: 0.5, bottom: 0, width: 0.5, height: 0.5 },
  ];
  /** Meshes other than bodies' go to whoever asked for them. */
  readonly onPreview = new Set<(frame: Frame) => void>();

  constructor(canvas: HTMLCanvasElement, private readonly store: Store, private readonly options: ViewOptions) {
    super(canvas);
    const [contacts, trace, impacts] = [new Marks(), new Marks(), new Marks()];
    this.add({
      object: this.bodyGroup,
      resize: ({ metresPerPixelAt, perDistance }) => {
        for (const view of this.bodies.values()) view.scale(metresPerPixelAt, perDistance);
      },
      theme: (colours) => {
        for (const view of this.bodies.values()) view.theme(colours);
      },
      dispose: () => {
        for (const view of this.bodies.values()) view.dispose();
      },
    });
    for (const marks of [contacts, trace, impacts]) {
      this.add({
        object: marks,
        resize: ({ markAt }) => {
          marks.resize(markAt);
        },
        dispose: () => {
          marks.dispose();
        },
      });
    }
    if (options.interactive) {
      this.add({
        object: this.handles,
        resize: ({ handleAt, sightAt }) => {
          this.handles.resize(handleAt, sightAt);
        },
      });
    }
    this.store.onFrame = (frame) => {
      this.receive(frame);
    };
    this.disposers.push(
      effect(() => {
        this.arrange(store.views.value === 'four' ? this.four : this.one);
        this.frame(null, false);
      }),
      effect(() => {
        this.placeBodies();
      }),
      effect(() => {
        drawContacts(contacts, store.contacts.value, store.contact.value, STAGE[theme.value]);
        this.invalidate();
      }),
      effect(() => {
        drawImpacts(impacts, options.interactive && !store.traceWanted.value ? store.plot.value : null, STAGE[theme.value]);
        this.invalidate();
      }),
      effect(() => {
        drawTrace(trace, store.traceWanted.value ? store.trace.value : null, store.step.value);
        contacts.visible = !store.traceWanted.value;
        this.invalidate();
      }),
      effect(() => {
        const body = store.selected.value;
        const handled = options.interactive && !body?.locked && !body?.hidden ? body : null;
        this.handles.show(handled, store.tool.value, store.axes.value);
        this.invalidate();
      }),
    );
  }

  /** The geometry of a body, in its own frame. */
  bodyView(id: number): BodyView | undefined {
    return this.bodies.get(id);
  }

  /** Where a handle of the selected body is, for tests and the help. */
  handlePlace(kind: Handle['kind'], axis: number): Vector3 | null {
    return this.handles.placeOf(kind, axis);
  }

  pick(x: number, y: number): Hit | null {
    const handle = this.meet(x, y, this.handles.targets);
    if (handle) {
      return { id: handle.object.userData['body'] as number, handle: handle.object.userData['handle'] as Handle };
    }
    const found = this.meet(x, y, [...this.bodies.values()].filter((body) => body.group.visible).flatMap((body) => body.targets));
    if (!found) return null;
    const id = found.object.parent?.userData['body'] as number | undefined;
    const body = this.store.scene.peek().bodies.find((other) => other.id === id);
    // What fills the view is chosen from the list, and moved by its handles; what is locked is not moved at all.
    if (id === undefined || !body || body.locked || (isUnbounded(body) && !this.store.isSelected(id))) return null;
    return { id, handle: null };
  }

  hover(x: number, y: number): void {
    this.enter(x, y);
    const hit = this.pick(x, y);
    this.canvas.style.cursor = hit ? (hit.handle ? 'pointer' : 'grab') : '';
  }

  /** Looks at one body, or at all of them. */
  frame(id: number | null, glide = true): void {
    const { bodies } = this.store.scene.peek();
    const solid = [...this.bodies.entries()].filter(([other, view]) => {
      const body = bodies.find((candidate) => candidate.id === other);
      return (id === null || other === id) && view.group.visible && body !== undefined && !isUnbounded(body);
    });
    if (solid.length === 0) return;
    const center = new Vector3();
    for (const [, view] of solid) center.add(view.group.position);
    center.divideScalar(solid.length);
    const radius = (this.options.closeness ?? 1) * Math.max(...solid.map(([, view]) => view.group.position.distanceTo(center) + view.reach));
    for (const rig of this.rigs) rig.frame(center, Math.max(radius, 0.3), glide);
    this.invalidate();
  }

  protected override turned(): void {
    this.frame(null, false);
  }

  // Following the document

  private placeBodies(): void {
    const { bodies, name } = this.store.scene.value;
    const selection = this.store.selection.value;
    const others = this.store.others.value;
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
      view.group.visible = !body.hidden;
      view.select(this.options.interactive && (body.id === selection || others.includes(body.id)));
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
    this.bodies.get(frame.id)?.select(this.options.interactive && this.store.isSelected(frame.id));
    // A new scene is looked at as soon as all of it is there.
    if (this.framed === null && frame.id === bodies.filter((body) => !isLine(body)).at(-1)?.id) {
      this.framed = name;
      this.settle();
    }
    this.invalidate();
  }

  /** Puts the ground below the bodies and looks at them all. */
  private settle(): void {
    const onTable = this.store.scene.peek().bodies.some(isUnbounded);
    const lowest = Math.min(0, ...[...this.bodies.values()].map((view) => view.group.position.z - view.reach));
    this.setGround(onTable ? null : lowest - 0.02);
    this.frame(null, false);
  }
}
