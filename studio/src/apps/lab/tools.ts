// What hands do on Contact Lab's stage.
//
// One pointer on a handle drags it; on a body moves it with all that is chosen (right button or Alt: turns it; held still: opens
// the parameter widget and slides through it, or the menu of the body when it is let go without sliding); elsewhere turns the view
// (right or middle button or Shift: shifts it). Two fingers on a body move, turn and scale it; elsewhere they shift, turn and zoom
// the view. Ctrl goes by steps.

import { Vector3 } from 'three';

import { fingerChange, onPlane, turned, twoFingers, type TwoFingers } from '../../input/drag';
import type { Drag, Point, Press, Sample, Tool } from '../../input/pointers';
import { snappedPlace, snappedTurn } from '../../input/snapping';
import type { Body } from '../../shapes/body';
import { scaled } from '../../shapes/forms';
import { dragHandle, type Handle } from '../../widgets/handles';
import { replaceBody, type Store } from './store';
import type { View } from './view';

/** The parameter widget keeps this distance from the border of ]0, 2[, where there is no body. */
const MARGIN = 0.02;

export function clampExponent(value: number): number {
  return Math.min(Math.max(Number(value.toFixed(3)), MARGIN), 2 - MARGIN);
}

/** Width of the widget under a finger, in pixels. */
export function padSize(): number {
  return Math.min(300, 0.8 * window.innerWidth);
}

/** The parameter widget under a finger: where it opened, and how far the finger has slid since. */
export interface Held extends Point {
  id: number;
  dx: number;
  dy: number;
}

/** Where a menu opens, and for which body. */
export interface MenuAt extends Point {
  id: number | null;
}

export interface Surroundings {
  hold: (held: Held | null) => void;
  menu: (at: MenuAt) => void;
}

export function labTools(view: View, store: Store, around: Surroundings): Tool[] {
  const tools = new Tools(view, store, around);
  return [{ press: tools.onHandle }, { press: tools.onBody }, { press: tools.onNothing }];
}

class Tools {
  constructor(
    private readonly view: View,
    private readonly store: Store,
    private readonly around: Surroundings,
  ) {}

  readonly onHandle = (press: Press): Drag | null => {
    // What the hand does stays in the viewport where it began.
    this.view.enter(press.x, press.y);
    const hit = this.view.pick(press.x, press.y);
    const start = this.body(hit?.id);
    if (!hit?.handle || !start) return null;
    const { handle } = hit;
    this.store.begin(handle.kind === 'turn' ? 'Turn' : handle.kind === 'move' ? 'Move' : 'Shape');
    return {
      move: (sample) => {
        const { view, store } = this;
        const body = dragHandle(start, handle, view.ray(press.x, press.y), view.ray(sample.x, sample.y), view.viewDirection());
        store.adjust((scene) => this.withOthers(replaceBody(scene, hit.id, () => this.stepped(body, start, handle, sample)), start, hit.id));
      },
      join: (second) => this.twoOnBody(press, second, hit.id),
      release: () => {
        this.store.commit();
      },
      cancel: () => {
        this.store.cancel();
      },
    };
  };

  readonly onBody = (press: Press): Drag | null => {
    const hit = this.view.pick(press.x, press.y);
    const start = this.body(hit?.id);
    if (!hit || !start) return null;
    const { id } = hit;
    const turning = press.secondary || press.alt;
    this.store.begin(turning ? 'Turn' : 'Move');
    let pure = start;
    return {
      move: (sample, from) => {
        if (!this.store.isSelected(id)) this.store.select(id);
        pure = turning ? this.rolled(pure, sample.x - from.x, sample.y - from.y) : this.carried(pure, from, sample);
        const handle: Handle = turning ? { kind: 'turn', axis: 0 } : { kind: 'move', axis: 0, axes: 'world' };
        this.store.adjust((scene) => this.withOthers(replaceBody(scene, id, (old) => ({ ...old, ...placeOf(this.stepped(pure, start, handle, sample)) })), start, id));
      },
      hold: () => this.heldPad(press, id),
      join: (second) => this.twoOnBody(press, second, id),
      release: (still) => {
        this.store.commit();
        if (!still) return;
        if (press.secondary) {
          // The menu is about what is chosen.
          if (!this.store.isSelected(id)) this.store.select(id);
          this.around.menu({ x: press.x, y: press.y, id });
        } else {
          this.store.select(id, press.shift || press.ctrl);
        }
      },
      cancel: () => {
        this.store.cancel();
      },
    };
  };

  readonly onNothing = (press: Press): Drag => {
    const shifting = press.secondary || press.shift;
    const { rig, activeHeight } = this.view;
    return {
      move: (sample, from) => {
        const [dx, dy] = [sample.x - from.x, sample.y - from.y];
        if (shifting) rig.shift(dx, dy, activeHeight);
        else rig.drag(dx, dy, activeHeight);
        this.view.invalidate();
      },
      hold: () => ({
        move: nothing,
        release: () => {
          this.around.menu({ x: press.x, y: press.y, id: null });
        },
        cancel: nothing,
      }),
      join: (second) => {
        const hit = this.view.pick(second.x, second.y);
        return hit ? this.twoOnBody(press, second, hit.id) : this.twoOnView(press, second);
      },
      release: (still) => {
        if (!still) return;
        if (press.secondary) this.around.menu({ x: press.x, y: press.y, id: null });
        else if (!press.shift) this.store.select(null);
      },
      cancel: nothing,
    };
  };

  private body(id: number | undefined): Body | undefined {
    return this.store.scene.peek().bodies.find((body) => body.id === id);
  }

  /** The parameter widget under the finger; let go without sliding, the menu of the body. */
  private heldPad(press: Press, id: number): Drag | null {
    const body = this.body(id);
    if (!body) return null;
    if (!this.store.isSelected(id)) this.store.select(id);
    const menu = () => {
      this.around.menu({ x: press.x, y: press.y, id });
    };
    if (!body.exponents || body.locked) return { move: nothing, release: menu, cancel: nothing };
    const [e1, e2] = body.exponents;
    let held: Held = { id, x: press.x, y: press.y, dx: 0, dy: 0 };
    let begun = false;
    this.around.hold(held);
    return {
      move: (sample, from) => {
        if (!begun) this.store.begin('Shape');
        begun = true;
        held = { ...held, dx: held.dx + sample.x - from.x, dy: held.dy + sample.y - from.y };
        const size = padSize();
        const exponents: [number, number] = [clampExponent(e1 + (2 * held.dx) / size), clampExponent(e2 - (2 * held.dy) / size)];
        this.store.adjustBody(id, (old) => ({ ...old, exponents }));
        this.around.hold(held);
      },
      release: () => {
        this.around.hold(null);
        if (begun) this.store.commit();
        else menu();
      },
      cancel: () => {
        this.around.hold(null);
        if (begun) this.store.cancel();
      },
    };
  }

  private twoOnBody(first: Press, second: Press, id: number): Drag {
    const fingers = new Map<number, Point>([[first.pointer, first], [second.pointer, second]]);
    this.store.begin('Move with two fingers');
    if (!this.store.isSelected(id)) this.store.select(id);
    let last = spread(fingers);
    return {
      move: (sample) => {
        fingers.set(sample.pointer, sample);
        const now = spread(fingers);
        const { scale, turn } = fingerChange(last, now);
        const from = last;
        this.store.adjustBody(id, (body) => {
          const carried = this.carried(body, from, now);
          // The screen's angles run clockwise.
          const orientation = turned(carried.orientation, this.view.viewDirection(), turn);
          return scaled({ ...carried, orientation }, scale);
        });
        last = now;
      },
      release: () => {
        this.store.commit();
      },
      cancel: () => {
        this.store.cancel();
      },
    };
  }

  private twoOnView(first: Press, second: Press): Drag {
    const fingers = new Map<number, Point>([[first.pointer, first], [second.pointer, second]]);
    const { rig, activeHeight } = this.view;
    let last = spread(fingers);
    return {
      move: (sample) => {
        fingers.set(sample.pointer, sample);
        const now = spread(fingers);
        const { dx, dy, scale, turn } = fingerChange(last, now);
        rig.shift(dx, dy, activeHeight);
        rig.zoom(scale);
        rig.twist?.(turn);
        this.view.invalidate();
        last = now;
      },
      release: nothing,
      cancel: nothing,
    };
  }

  /** By steps, where these are wanted. */
  private stepped(body: Body, start: Body, handle: Handle, sample: Sample): Body {
    if (this.store.snapping.peek() === sample.ctrl) return body;
    if (handle.kind === 'turn') return { ...body, orientation: snappedTurn(body.orientation, start.orientation) };
    return handle.kind === 'move' ? { ...body, position: snappedPlace(body.position, start.position) } : body;
  }

  /** The other chosen bodies go and turn with the one that is held. */
  private withOthers<S extends { bodies: Body[] }>(scene: S, start: Body, id: number): S {
    const others = this.store.chosen().filter((other) => other !== id);
    const now = scene.bodies.find((body) => body.id === id);
    if (others.length === 0 || !now || !this.store.isSelected(id)) return scene;
    // From the last state of the one that is held to this one.
    const before = this.body(id) ?? start;
    const way = new Vector3(...now.position).sub(new Vector3(...before.position));
    const bodies = scene.bodies.map((body) => (others.includes(body.id) && !body.locked ? { ...body, position: new Vector3(...body.position).add(way).toArray() } : body));
    return { ...scene, bodies };
  }

  /** The body moved with the pointer in the plane that faces the viewer. */
  private carried(body: Body, from: Point, to: Point): Body {
    const at = new Vector3(...body.position);
    const facing = this.view.viewDirection();
    const [start, end] = [onPlane(this.view.ray(from.x, from.y), at, facing), onPlane(this.view.ray(to.x, to.y), at, facing)];
    if (!start || !end) return body;
    return { ...body, position: at.add(end).sub(start).toArray() };
  }

  /** The body rolled under the pointer like a ball. */
  private rolled(body: Body, dx: number, dy: number): Body {
    const { right, up } = this.view.viewAxes();
    const axis = up.multiplyScalar(dx).addScaledVector(right, dy);
    const angle = axis.length() * 0.009;
    return angle === 0 ? body : { ...body, orientation: turned(body.orientation, axis.normalize(), angle) };
  }
}

function placeOf({ position, orientation }: Body): Pick<Body, 'position' | 'orientation'> {
  return { position, orientation };
}

function spread(fingers: Map<number, Point>): TwoFingers {
  const [a, b] = [...fingers.values()];
  return twoFingers(a ?? { x: 0, y: 0 }, b ?? { x: 1, y: 0 });
}

function nothing(): void {
  // Nothing to do.
}
