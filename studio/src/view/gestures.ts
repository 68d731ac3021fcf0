// Mouse, pen and fingers on the stage.
//
// One pointer on a handle drags it; on a body moves it (right button or Alt: turns it; held still: opens the parameter
// widget and slides through it); elsewhere turns the view (right or middle button or Shift: shifts it). Two fingers on a
// body move, turn and scale it; elsewhere they shift, turn and zoom the view. The wheel zooms.

import { Vector3 } from 'three';

import { scaled } from '../lab/forms';
import type { Store } from '../lab/store';
import type { Body } from '../protocol/messages';
import { fingerChange, onPlane, turned, twoFingers, type TwoFingers } from './drag';
import { dragHandle, type Handle } from './handles';
import { meter } from './meter';
import type { Hit, Stage } from './stage';

/** Milliseconds of holding still that open the parameter widget. */
const HOLD = 450;
/** The same for a mouse or a pen, which rest more often before they move. */
const HOLD_STILL = 650;
/** Pixels within which a pointer counts as still. */
const STILL = 6;

export interface Held {
  id: number;
  x: number;
  y: number;
  /** How far the finger has slid since. */
  dx: number;
  dy: number;
}

type Action =
  | { kind: 'handle'; id: number; handle: Handle; start: Body; x: number; y: number }
  | { kind: 'move' | 'turn'; id: number }
  | { kind: 'orbit' | 'shift' }
  | { kind: 'hold'; held: Held }
  | { kind: 'two'; id: number | null; last: TwoFingers }
  | { kind: 'none' };

interface Pointer {
  x: number;
  y: number;
  startX: number;
  startY: number;
  hit: Hit | null;
}

export class Gestures {
  private readonly pointers = new Map<number, Pointer>();
  private action: Action = { kind: 'none' };
  private holdTimer: number | undefined;
  private dragged = false;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly stage: Stage,
    private readonly store: Store,
    private readonly onHold: (held: Held | null) => void,
  ) {
    canvas.addEventListener('pointerdown', this.down);
    canvas.addEventListener('pointermove', this.move);
    canvas.addEventListener('pointerup', this.up);
    canvas.addEventListener('pointercancel', this.up);
    canvas.addEventListener('wheel', this.wheel, { passive: false });
    canvas.addEventListener('contextmenu', this.noMenu);
    canvas.addEventListener('dblclick', this.double);
  }

  private readonly down = (event: PointerEvent) => {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    const { x, y } = this.local(event);
    const hit = this.stage.pick(x, y);
    this.pointers.set(event.pointerId, { x, y, startX: x, startY: y, hit });
    window.clearTimeout(this.holdTimer);
    if (this.pointers.size === 1) this.beginOne(event, x, y, hit);
    else if (this.pointers.size === 2 && this.action.kind !== 'hold') this.beginTwo();
  };

  private beginOne(event: PointerEvent, x: number, y: number, hit: Hit | null): void {
    this.dragged = false;
    const secondary = event.button === 2 || event.button === 1;
    if (hit?.handle) {
      const start = this.store.scene.peek().bodies.find((body) => body.id === hit.id);
      this.store.begin();
      this.action = start ? { kind: 'handle', id: hit.id, handle: hit.handle, start, x, y } : { kind: 'none' };
    } else if (hit) {
      this.store.begin();
      this.action = { kind: secondary || event.altKey ? 'turn' : 'move', id: hit.id };
      if (!secondary) {
        const { pointerId } = event;
        this.holdTimer = window.setTimeout(() => {
          // On a busy page the pointer may have moved already: what it did is told just before the next frame.
          requestAnimationFrame(() => {
            if (this.pointers.has(pointerId)) this.hold(hit.id, x, y);
          });
        }, event.pointerType === 'touch' ? HOLD : HOLD_STILL);
      }
    } else {
      this.action = { kind: secondary || event.shiftKey ? 'shift' : 'orbit' };
    }
  }

  private beginTwo(): void {
    const [a, b] = [...this.pointers.values()];
    if (!a || !b) return;
    this.dragged = true;
    const body = a.hit ?? b.hit;
    if (body) {
      this.store.begin();
      this.store.selection.value = body.id;
    } else {
      this.store.commit();
    }
    this.action = { kind: 'two', id: body?.id ?? null, last: twoFingers(a, b) };
  }

  private hold(id: number, x: number, y: number): void {
    const body = this.store.scene.peek().bodies.find((other) => other.id === id);
    if (!body?.exponents || this.dragged || this.action.kind !== 'move') return;
    this.store.selection.value = id;
    this.action = { kind: 'hold', held: { id, x, y, dx: 0, dy: 0 } };
    this.onHold(this.action.held);
  }

  private readonly move = (event: PointerEvent) => {
    const pointer = this.pointers.get(event.pointerId);
    const { x, y } = this.local(event);
    if (!pointer) {
      if (event.pointerType !== 'touch') this.stage.hover(x, y);
      return;
    }
    const [dx, dy] = [x - pointer.x, y - pointer.y];
    if (!this.dragged && Math.hypot(x - pointer.startX, y - pointer.startY) < STILL && this.action.kind !== 'hold') return;
    if (!this.dragged) {
      this.dragged = true;
      window.clearTimeout(this.holdTimer);
      if (this.action.kind === 'move' || this.action.kind === 'turn') this.store.selection.value = this.action.id;
    }
    const previous = { x: pointer.x, y: pointer.y };
    pointer.x = x;
    pointer.y = y;
    meter.work(() => {
      this.act(previous, x, y, dx, dy);
    });
  };

  private act(previous: { x: number; y: number }, x: number, y: number, dx: number, dy: number): void {
    const { action, stage, store } = this;
    const height = this.canvas.clientHeight;
    switch (action.kind) {
      case 'orbit':
        stage.orbit.turn(dx, dy);
        stage.invalidate();
        break;
      case 'shift':
        stage.orbit.shift(dx, dy, height);
        stage.invalidate();
        break;
      case 'handle': {
        const { id, handle, start } = action;
        const body = dragHandle(start, handle, stage.ray(action.x, action.y), stage.ray(x, y), stage.viewDirection());
        store.adjustBody(id, () => body);
        break;
      }
      case 'move':
        store.adjustBody(action.id, (body) => this.carried(body, previous, { x, y }));
        break;
      case 'turn':
        store.adjustBody(action.id, (body) => this.rolled(body, dx, dy));
        break;
      case 'hold':
        action.held = { ...action.held, dx: action.held.dx + dx, dy: action.held.dy + dy };
        this.onHold(action.held);
        break;
      case 'two':
        this.actTwo(action, height);
        break;
      case 'none':
        break;
    }
  }

  private actTwo(action: Action & { kind: 'two' }, height: number): void {
    const [a, b] = [...this.pointers.values()];
    if (!a || !b) return;
    const now = twoFingers(a, b);
    const { dx, dy, scale, turn } = fingerChange(action.last, now);
    const { orbit } = this.stage;
    if (action.id === null) {
      orbit.shift(dx, dy, height);
      orbit.zoom(scale);
      orbit.azimuth += turn;
      orbit.apply();
      this.stage.invalidate();
    } else {
      const from = action.last;
      this.store.adjustBody(action.id, (body) => {
        const carried = this.carried(body, from, now);
        // The screen's angles run clockwise.
        const orientation = turned(carried.orientation, this.stage.viewDirection(), turn);
        return scaled({ ...carried, orientation }, scale);
      });
    }
    action.last = now;
  }

  private readonly up = (event: PointerEvent) => {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    this.pointers.delete(event.pointerId);
    window.clearTimeout(this.holdTimer);
    if (this.pointers.size > 0) {
      // The finger that stays does not go on with another gesture.
      this.store.commit();
      this.action = { kind: 'none' };
      return;
    }
    if (this.action.kind === 'hold') this.onHold(null);
    if (!this.dragged && this.action.kind !== 'hold' && event.type === 'pointerup' && !pointer.hit?.handle) {
      this.store.selection.value = pointer.hit?.id ?? null;
    }
    this.store.commit();
    this.action = { kind: 'none' };
  };

  private readonly wheel = (event: WheelEvent) => {
    event.preventDefault();
    this.stage.orbit.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.04 : 0.0012)));
    this.stage.invalidate();
  };

  private readonly double = (event: MouseEvent) => {
    const { x, y } = this.local(event);
    const hit = this.stage.pick(x, y);
    this.stage.frame(hit && !hit.handle ? hit.id : null);
  };

  private readonly noMenu = (event: Event) => {
    event.preventDefault();
  };

  /** The body moved with the pointer in the plane that faces the viewer. */
  private carried(body: Body, from: { x: number; y: number }, to: { x: number; y: number }): Body {
    const at = new Vector3(...body.position);
    const facing = this.stage.viewDirection();
    const [start, end] = [onPlane(this.stage.ray(from.x, from.y), at, facing), onPlane(this.stage.ray(to.x, to.y), at, facing)];
    if (!start || !end) return body;
    return { ...body, position: at.add(end).sub(start).toArray() };
  }

  /** The body rolled under the pointer like a ball. */
  private rolled(body: Body, dx: number, dy: number): Body {
    const { right, up } = this.stage.viewAxes();
    const axis = up.multiplyScalar(dx).addScaledVector(right, dy);
    const angle = axis.length() * 0.009;
    return angle === 0 ? body : { ...body, orientation: turned(body.orientation, axis.normalize(), angle) };
  }

  private local(event: MouseEvent): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
