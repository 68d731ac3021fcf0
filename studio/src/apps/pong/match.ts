// A match as this window sees it: what the session says, the paddles of its players at once, and the picture of both.

import { effect, signal } from '@preact/signals';

import { meter } from '../../base/meter';
import { theme } from '../../base/theme';
import { inWords, Link } from '../../link/link';
import type { StateFrame } from '../../link/state-frame';
import { Court } from './court';
import { drawMatch, type BallView, type PaddleView, type Spark } from './draw';
import { Hands } from './hands';
import { APP, APP_VERSION, type Edit, type Event, type Facts, type Match, type State } from './messages';
import { Paddle } from './paddle';
import { Sound } from './sound';

export interface PongMessages {
  Facts: Facts;
  Edit: Edit;
  Ask: never;
  Answer: never;
  State: State;
  Event: Event;
}

/** Frames that the trail shows. */
const TRAIL = 10;

function remembered(key: string): boolean {
  try {
    return window.localStorage.getItem(key) === 'yes';
  } catch {
    return false;
  }
}

/** A switch that this browser remembers. */
function setting(key: string) {
  const value = signal(remembered(key));
  effect(() => {
    try {
      window.localStorage.setItem(key, value.value ? 'yes' : 'no');
    } catch {
      // Then it lasts as long as the window.
    }
  });
  return value;
}

export class Play {
  readonly state = signal<State | null>(null);
  /** Simulated seconds in a second. */
  readonly speed = signal(1);
  readonly sounds = setting('superegg.pong.sound');
  readonly twoFingers = setting('superegg.pong.two-fingers');
  readonly notice = signal<string | null>(null);
  readonly link: Link<PongMessages>;
  /** Bounces that were heard, for tests. */
  bounces = 0;
  private revision = 0;
  private newest: StateFrame | null = null;
  private trail: BallView[] = [];
  private sparks: Spark[] = [];
  private shown: PaddleView[] = [];
  private readonly sound = new Sound(() => this.sounds.peek());

  constructor() {
    this.link = new Link<PongMessages>({ name: APP, version: APP_VERSION }, {
      welcome: () => {
        // The old match is gone with its session; a new one can begin.
        this.state.value = null;
      },
      state: (_revision, state) => {
        this.state.value = state;
      },
      frame: (frame) => {
        this.newest = frame;
      },
      event: (event) => {
        this.hear(event);
      },
      failure: (failure) => {
        this.notice.value = inWords(failure);
      },
    });
  }

  close(): void {
    this.link.close();
  }

  get isLive(): boolean {
    const phase = this.state.peek()?.phase;
    return phase === 'serve' || phase === 'play';
  }

  begin(match: Match): void {
    this.trail = [];
    this.edit({ begin: { match } });
  }

  edit(edit: Edit): void {
    this.revision += 1;
    this.link.edit(this.revision, edit);
  }

  pause(paused: boolean): void {
    this.edit({ pause: { paused } });
  }

  /** Where a paddle is drawn, for tests. */
  paddleShown(side: 0 | 1): PaddleView | undefined {
    return this.shown[side];
  }

  /** Where the ball is, for tests. */
  ball(): BallView | null {
    return this.newest ? ballOf(this.newest) : null;
  }

  /** Draws into a canvas and listens to hands on it, until it is stopped. */
  attach(canvas: HTMLCanvasElement, facts: Facts): () => void {
    const court = new Court(facts);
    const paddles: [Paddle, Paddle] = [new Paddle(court), new Paddle(court)];
    const isTwo = () => this.state.peek()?.match.right === 'person';
    const hands = new Hands(canvas, court, paddles, { two: isTwo, twoFingers: () => this.twoFingers.peek(), playing: () => this.isLive });
    const context = canvas.getContext('2d');
    const resize = () => {
      const ratio = Math.min(window.devicePixelRatio, 2);
      canvas.width = Math.round(canvas.clientWidth * ratio);
      canvas.height = Math.round(canvas.clientHeight * ratio);
      court.resize(canvas.clientWidth, canvas.clientHeight);
    };
    const observer = new ResizeObserver(resize);
    observer.observe(canvas);
    resize();
    let last = performance.now();
    let drawn: StateFrame | null = null;
    let acknowledged = 0;
    let handle = 0;
    const tick = (now: number) => {
      handle = requestAnimationFrame(tick);
      const seconds = Math.min((now - last) / 1000, 0.05);
      last = now;
      meter.work(() => {
        const { newest } = this;
        // What is drawn at the end of this frame is acknowledged, also when the match has just stopped.
        if (this.isLive || (newest && newest.sequence > acknowledged)) {
          if (this.isLive) hands.advance(seconds);
          for (const side of [0, 1] as const) {
            const values = paddles[side].take();
            if (values && (side === 0 || isTwo())) this.link.input.move({ control: side, values });
          }
          if (newest) {
            acknowledged = newest.sequence;
            this.link.input.shown(acknowledged);
          }
          this.link.input.flush();
        }
        for (const paddle of paddles) paddle.advance(seconds);
        if (context && newest) {
          const ratio = canvas.width / Math.max(canvas.clientWidth, 1);
          context.setTransform(ratio, 0, 0, ratio, 0, 0);
          this.draw(context, court, paddles, isTwo(), seconds, drawn);
          drawn = newest;
        }
      });
      meter.frame();
    };
    handle = requestAnimationFrame(tick);
    return () => {
      cancelAnimationFrame(handle);
      observer.disconnect();
      hands.dispose();
    };
  }

  private draw(context: CanvasRenderingContext2D, court: Court, paddles: [Paddle, Paddle], two: boolean, seconds: number, before: StateFrame | null): void {
    const frame = this.newest;
    if (!frame) return;
    this.speed.value = frame.speed;
    const ball = ballOf(frame);
    if (!ball) return;
    if (frame !== before) {
      const last = this.trail.at(-1);
      // A serve from the middle leaves no trail across the court.
      if (last && Math.hypot(last.at.x - ball.at.x, last.at.y - ball.at.y) > 2) this.trail = [];
      this.trail = [...this.trail, ball].slice(-TRAIL);
    }
    this.sparks = this.sparks.map((spark) => ({ ...spark, age: spark.age + seconds })).filter(({ age }) => age < 0.25);
    const poses = frame.poses.get(0) ?? [];
    const theirs = (side: 0 | 1): PaddleView => {
      const pose = poses[side + 1];
      const [, , z = 0, w = 1] = pose?.orientation ?? [];
      return { at: { x: pose?.position[0] ?? 0, y: pose?.position[1] ?? 0 }, tilt: 2 * Math.atan2(z, w) };
    };
    // What a hand holds is drawn where the hand is.
    const own = (side: 0 | 1): PaddleView => ({ at: { x: (side === 0 ? -1 : 1) * court.facts.line, y: paddles[side].height }, tilt: paddles[side].tilt });
    const shown: [PaddleView, PaddleView] = [own(0), two ? own(1) : theirs(1)];
    this.shown = shown;
    drawMatch(context, court, theme.peek(), { ball, trail: this.trail.slice(0, -1), paddles: shown, sparks: this.sparks });
  }

  private hear(event: Event): void {
    if ('bounce' in event) {
      const { paddle, at, speed } = event.bounce;
      this.bounces += 1;
      this.sparks.push({ at: { x: at[0], y: at[1] }, age: 0 });
      this.sound.bounce(paddle !== null, speed);
    } else if ('point' in event) {
      this.sound.point(event.point.by === 0);
    }
  }
}

function ballOf(frame: StateFrame): BallView | null {
  const [pose] = frame.poses.get(0) ?? [];
  const numbers = frame.scalars.get(1);
  if (!pose || !numbers) return null;
  const [, , z, w] = pose.orientation;
  return {
    at: { x: pose.position[0], y: pose.position[1] },
    angle: 2 * Math.atan2(z, w),
    radii: [numbers[0] ?? 0.4, numbers[1] ?? 0.4],
    exponent: numbers[2] ?? 1,
  };
}
