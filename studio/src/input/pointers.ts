// Mouse, pen and fingers on a canvas: pressed, then a tap, a hold or a drag. What a drag does is the business of tools, which are
// asked in order; every drag can be cancelled (Escape, a lost pointer, a second finger that takes over), and several may be
// under way at once.
//
// What was a tap, a hold or a drag is decided by when the hand acted (the events' time stamps), not by when this page came to hear
// of it: on a busy machine a timer may run before the moves that came earlier. A hold that turns out to have been none is taken back.

import { meter } from '../base/meter';

export interface Point {
  x: number;
  y: number;
}

export interface Press extends Point {
  pointer: number;
  kind: string;
  /** Right or middle button. */
  secondary: boolean;
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

export interface Sample extends Point {
  pointer: number;
  ctrl: boolean;
}

export interface Drag {
  /** The pointer went on from a place; `coalesced` are all places it passed since. */
  move(sample: Sample, from: Point, coalesced: Point[]): void;
  /** Held still: another drag takes over, or none does. */
  hold?(): Drag | null;
  /** A second finger came: a drag of both takes over, or none does. */
  join?(second: Press): Drag | null;
  /** Let go; `still` when the pointer never moved. */
  release(still: boolean): void;
  cancel(): void;
}

export interface Tool {
  press(press: Press): Drag | null;
}

/** What is no drag. */
export interface Taps {
  /** Fingers that came and went together, without moving, and the place between them. */
  fingers?(count: number, at: Point): void;
  double?(at: Point): void;
  hover?(at: Point): void;
  wheel?(event: WheelEvent, at: Point): void;
}

/** Milliseconds of holding still, for a finger and for a mouse or a pen, which rest more often before they move. */
const HOLD = 500;
const HOLD_STILL = 650;
/** Pixels within which a pointer counts as still. */
const STILL = 6;
/** Milliseconds within which fingers come and go together, and within which a second tap makes a double one. */
const TOGETHER = 300;
const DOUBLE = 350;
/** Pixels between the two taps of a finger. */
const NEAR = 24;

interface Held {
  press: Press;
  at: Point;
  moved: boolean;
  drag: Drag | null;
  /** When holding still becomes a hold, on the clock of the events. */
  due: number;
  /** A hold has taken over. */
  holding: boolean;
}

export class Pointers {
  private readonly held = new Map<number, Held>();
  private holdTimer: number | undefined;
  /** Fingers of the present gesture, when it began, and whether any has moved or held. */
  private fingers = { count: 0, since: 0, still: true, at: { x: 0, y: 0 } };
  /** What was pressed last: a mouse, a pen or a finger. */
  private lastKind = '';
  /** The last tap of a finger. */
  private tapped: (Point & { time: number }) | null = null;
  private readonly disposers: (() => void)[] = [];

  constructor(private readonly canvas: HTMLCanvasElement, private readonly tools: Tool[], private readonly taps: Taps) {
    const listen = <Name extends keyof HTMLElementEventMap>(name: Name, run: (event: HTMLElementEventMap[Name]) => void, options?: AddEventListenerOptions) => {
      canvas.addEventListener(name, run, options);
      this.disposers.push(() => {
        canvas.removeEventListener(name, run);
      });
    };
    listen('pointerdown', this.down);
    listen('pointermove', this.move);
    listen('pointerup', this.up);
    listen('pointercancel', this.lost);
    listen('contextmenu', (event) => {
      event.preventDefault();
    });
    listen('wheel', (event) => {
      event.preventDefault();
      this.taps.wheel?.(event, this.local(event));
    }, { passive: false });
    listen('dblclick', (event) => {
      // Browsers differ in whether fingers make one; theirs are counted here.
      if (this.lastKind !== 'touch') this.taps.double?.(this.local(event));
    });
    const blur = () => {
      this.cancel();
    };
    window.addEventListener('blur', blur);
    this.disposers.push(() => {
      window.removeEventListener('blur', blur);
    });
  }

  /** Whether a hand holds something. */
  get isBusy(): boolean {
    return this.held.size > 0;
  }

  /** Takes back what all hands are doing. Returns whether there was anything. */
  cancel(): boolean {
    window.clearTimeout(this.holdTimer);
    const drags = new Set([...this.held.values()].flatMap(({ drag }) => drag ?? []));
    for (const drag of drags) drag.cancel();
    for (const held of this.held.values()) held.drag = null;
    this.fingers.still = false;
    return drags.size > 0;
  }

  dispose(): void {
    this.cancel();
    for (const dispose of this.disposers) dispose();
  }

  private readonly down = (event: PointerEvent) => {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    window.clearTimeout(this.holdTimer);
    const press: Press = {
      ...this.local(event), pointer: event.pointerId, kind: event.pointerType, secondary: event.button === 1 || event.button === 2,
      shift: event.shiftKey, alt: event.altKey, ctrl: event.ctrlKey || event.metaKey,
    };
    this.lastKind = press.kind;
    if (this.held.size === 0) this.fingers = { count: 0, since: event.timeStamp, still: true, at: press };
    this.fingers.count += 1;
    const { at, count } = this.fingers;
    this.fingers.at = { x: at.x + (press.x - at.x) / count, y: at.y + (press.y - at.y) / count };
    const due = event.timeStamp + (press.kind === 'touch' ? HOLD : HOLD_STILL);
    const held: Held = { press, at: press, moved: false, drag: null, due, holding: false };
    const first = [...this.held.values()].find(({ drag }) => drag !== null);
    this.held.set(event.pointerId, held);
    if (first?.drag?.join) {
      const { drag } = first;
      // A finger that has not moved has done nothing; one that has, has done its part.
      if (first.moved) drag.release(false);
      else drag.cancel();
      first.drag = drag.join?.(press) ?? null;
      held.drag = first.drag;
      if (held.drag) return;
    }
    held.drag = this.press(press);
    if (!press.secondary && held.drag?.hold) this.awaitHold(held);
  };

  private press(press: Press): Drag | null {
    for (const tool of this.tools) {
      const drag = tool.press(press);
      if (drag) return drag;
    }
    return null;
  }

  private awaitHold(held: Held): void {
    this.holdTimer = window.setTimeout(() => {
      // Moves that are known already are told just before the next frame.
      requestAnimationFrame(() => {
        if (held.moved || this.held.get(held.press.pointer) !== held) return;
        const taken = held.drag?.hold?.();
        if (!taken) return;
        this.fingers.still = false;
        held.drag?.cancel();
        held.drag = taken;
        held.holding = true;
        // From here every move counts.
        held.moved = true;
      });
    }, Math.max(held.due - performance.now(), 0));
  }

  /** The hand did something before its hold was due, and that came late: as if there had been no hold. */
  private takeHoldBack(held: Held): void {
    held.drag?.cancel();
    Object.assign(held, { at: held.press, moved: false, holding: false });
    held.drag = this.press(held.press);
  }

  /** When a pointer that moves has left the place where it was pressed; never, if it is still there. */
  private leftAt({ press }: Held, event: PointerEvent): number {
    const isAway = (passed: PointerEvent) => {
      const at = this.local(passed);
      return Math.hypot(at.x - press.x, at.y - press.y) >= STILL;
    };
    return [...event.getCoalescedEvents(), event].find(isAway)?.timeStamp ?? Infinity;
  }

  private readonly move = (event: PointerEvent) => {
    const held = this.held.get(event.pointerId);
    const at = this.local(event);
    if (!held) {
      if (event.pointerType !== 'touch') this.taps.hover?.(at);
      return;
    }
    if (held.holding && this.leftAt(held, event) < held.due) this.takeHoldBack(held);
    if (!held.moved) {
      if (this.leftAt(held, event) === Infinity) return;
      held.moved = true;
      this.fingers.still = false;
      window.clearTimeout(this.holdTimer);
    }
    const from = held.at;
    held.at = at;
    const coalesced = event.getCoalescedEvents().map((passed) => this.local(passed));
    meter.work(() => held.drag?.move({ ...at, pointer: event.pointerId, ctrl: event.ctrlKey || event.metaKey }, from, coalesced));
  };

  private readonly up = (event: PointerEvent) => {
    const held = this.held.get(event.pointerId);
    if (!held) return;
    window.clearTimeout(this.holdTimer);
    if (held.holding && event.timeStamp < held.due) this.takeHoldBack(held);
    this.held.delete(event.pointerId);
    const together = this.fingers.count > 1 && this.fingers.still && event.timeStamp - this.fingers.since < TOGETHER;
    if (held.drag) {
      const { drag } = held;
      // The finger that stays does not go on with what both began.
      for (const other of this.held.values()) if (other.drag === drag) other.drag = null;
      if (together) drag.cancel();
      else drag.release(!held.moved);
    }
    if (this.held.size === 0 && together) this.taps.fingers?.(this.fingers.count, this.fingers.at);
    if (held.press.kind === 'touch') this.countTap(held, event);
  };

  /** Two taps of one finger, soon after each other at nearly the same place. */
  private countTap({ press, moved }: Held, { timeStamp }: PointerEvent): void {
    const before = this.tapped;
    const isTap = !moved && this.fingers.count === 1;
    const isSecond = isTap && before !== null && timeStamp - before.time < DOUBLE && Math.hypot(press.x - before.x, press.y - before.y) < NEAR;
    this.tapped = isTap && !isSecond ? { x: press.x, y: press.y, time: timeStamp } : null;
    if (isSecond) this.taps.double?.(press);
  }

  private readonly lost = (event: PointerEvent) => {
    const held = this.held.get(event.pointerId);
    this.held.delete(event.pointerId);
    window.clearTimeout(this.holdTimer);
    if (!held?.drag) return;
    const { drag } = held;
    for (const other of this.held.values()) if (other.drag === drag) other.drag = null;
    drag.cancel();
  };

  private local(event: MouseEvent): Point {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
