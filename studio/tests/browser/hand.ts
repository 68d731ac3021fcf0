// A hand on a page: mouse, pen or fingers. Every gesture is sent as a whole, each event with the time at which the hand acts, 16 ms
// after the one before: however busy the machine is, a drag never becomes a hold, and fingers that tap together do so. What is meant
// for the stage has to begin on it: a panel that lies over the place is said, instead of being dragged in vain.

import type { CDPSession, Page } from 'playwright-core';

export interface Point {
  x: number;
  y: number;
}

export interface Grip {
  button?: 'left' | 'right';
  kind?: 'mouse' | 'pen';
  steps?: number;
  /** Whether Shift is down. */
  shift?: boolean;
  /** What has to be under the place where it begins, if not the stage. */
  over?: string;
}

/** Seconds between two events of a hand. */
const BEAT = 0.016;
const BUTTONS = { left: 1, right: 2 } as const;
const SHIFT = 8;

export class Hand {
  private time = 0;

  private constructor(private readonly page: Page, private readonly session: CDPSession, private readonly surface: string) {}

  static async on(page: Page, surface = 'canvas.stage'): Promise<Hand> {
    return new Hand(page, await page.context().newCDPSession(page), surface);
  }

  /** Presses at a place, goes to another, and lets go. */
  async drag(from: Point, to: Point, grip: Grip = {}): Promise<void> {
    await this.begin([from], grip.over);
    await Promise.all([...this.pressAndMove(from, to, grip), this.mouse('mouseReleased', to, grip)]);
  }

  /** Presses at a place and goes to another, where it stays. */
  async grab(from: Point, to: Point, grip: Grip = {}): Promise<void> {
    await this.begin([from], grip.over);
    await Promise.all(this.pressAndMove(from, to, grip));
  }

  /** Presses at a place, where it stays. */
  async press(at: Point, grip: Grip = {}): Promise<void> {
    await this.begin([at], grip.over);
    await Promise.all([this.mouse('mouseMoved', at), this.mouse('mousePressed', at, grip)]);
  }

  /** Goes on with what it has grabbed, and lets go. */
  async drop(from: Point, to: Point, grip: Grip = {}): Promise<void> {
    await this.begin([]);
    await Promise.all([...this.moves(from, to, grip), this.mouse('mouseReleased', to, grip)]);
  }

  /** Draws a line through places with the mouse. */
  async trace(places: Point[], grip: Grip = {}): Promise<void> {
    const [first, last] = [places[0], places.at(-1)];
    if (!first || !last) return;
    await this.begin([first], grip.over);
    await Promise.all([
      this.mouse('mouseMoved', first), this.mouse('mousePressed', first, grip),
      ...places.slice(1).map((place) => this.mouse('mouseMoved', place, grip)), this.mouse('mouseReleased', last, grip),
    ]);
  }

  /** Draws a line through places with a finger. */
  async trail(places: Point[]): Promise<void> {
    const [first] = places;
    if (!first) return;
    await this.begin([first]);
    await Promise.all([this.fingers('touchStart', [first]), ...places.slice(1).map((place) => this.fingers('touchMove', [place])), this.fingers('touchEnd', [])]);
  }

  async click(at: Point, grip: Grip = {}): Promise<void> {
    await this.begin([at], grip.over);
    await Promise.all([this.mouse('mouseMoved', at), this.mouse('mousePressed', at, grip), this.mouse('mouseReleased', at, grip)]);
  }

  /** Fingers that come one after the other, go from places to places, and leave together. */
  async slide(from: Point[], to: Point[], steps = 5): Promise<void> {
    await this.begin(from);
    await Promise.all([
      ...from.map((_, count) => this.fingers('touchStart', from.slice(0, count + 1))),
      ...fractions(steps).map((part) => this.fingers('touchMove', from.map((start, k) => between(start, to[k] ?? start, part)))),
      this.fingers('touchEnd', []),
    ]);
  }

  /** Fingers that come and go together. */
  async tap(places: Point[]): Promise<void> {
    await this.begin(places);
    await Promise.all([this.fingers('touchStart', places), this.fingers('touchEnd', [])]);
  }

  /** Fingers as they are now, for what a test looks at meanwhile. */
  async touch(type: 'touchStart' | 'touchMove' | 'touchEnd', places: Point[] = []): Promise<void> {
    await this.begin(type === 'touchStart' ? places : []);
    await this.fingers(type, places);
  }

  private async begin(places: Point[], over = this.surface): Promise<void> {
    const inTheWay = await this.page.evaluate(([at, wanted]) => {
      const found = at.map(({ x, y }) => ({ x, y, what: document.elementFromPoint(x, y) })).find(({ what }) => !what?.closest(wanted));
      return found ? `${found.what?.outerHTML.slice(0, 120)} is at ${found.x}, ${found.y}` : null;
    }, [places, over] as const);
    if (inTheWay !== null) throw new Error(`not ${over}: ${inTheWay}`);
    this.time = Math.max(this.time, Date.now() / 1000);
  }

  private next(): number {
    this.time += BEAT;
    return this.time;
  }

  private pressAndMove(from: Point, to: Point, grip: Grip): Promise<unknown>[] {
    return [this.mouse('mouseMoved', from), this.mouse('mousePressed', from, grip), ...this.moves(from, to, grip)];
  }

  private moves(from: Point, to: Point, grip: Grip): Promise<unknown>[] {
    return fractions(grip.steps ?? 4).map((part) => this.mouse('mouseMoved', between(from, to, part), grip));
  }

  /** With a grip the button is down. */
  private mouse(type: 'mousePressed' | 'mouseMoved' | 'mouseReleased', { x, y }: Point, grip?: Grip): Promise<unknown> {
    const button = grip ? (grip.button ?? 'left') : 'none';
    const buttons = button === 'none' || type === 'mouseReleased' ? 0 : BUTTONS[button];
    const pen = grip?.kind === 'pen' ? { pointerType: 'pen' as const, force: 0.5 } : {};
    return this.session.send('Input.dispatchMouseEvent', { type, x, y, button, buttons, modifiers: grip?.shift ? SHIFT : 0, clickCount: type === 'mouseMoved' ? 0 : 1, timestamp: this.next(), ...pen });
  }

  private fingers(type: 'touchStart' | 'touchMove' | 'touchEnd', places: Point[]): Promise<unknown> {
    return this.session.send('Input.dispatchTouchEvent', { type, touchPoints: places.map(({ x, y }, id) => ({ x, y, id })), timestamp: this.next() });
  }
}

function fractions(steps: number): number[] {
  return Array.from({ length: steps }, (_, step) => (step + 1) / steps);
}

function between(from: Point, to: Point, part: number): Point {
  return { x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y) };
}
