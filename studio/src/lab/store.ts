// The document of Contact Lab and what is known about it. Documents are immutable; every change goes through `change`
// or, during a gesture, through `adjust` between `begin` and `commit`.

import { batch, computed, effect, signal } from '@preact/signals';

import { Connection } from '../protocol/connection';
import type { Frame } from '../protocol/frame';
import type { Body, Contact, Contacts, Plot, Scene, ServerMessage, ShapeType, Trace, Welcome } from '../protocol/messages';
import { History } from './history';
import { moves, sceneAt } from './motion';
import { keepDraft, readDraft } from './storage';
import { Sync } from './sync';

export type Tool = 'move' | 'turn' | 'shape';

const EMPTY: Scene = { name: 'Untitled', bodies: [], solver: { method: 'default', tolerance: 1e-9 }, duration: 4 };
/** Times at which a motion is plotted. */
const SAMPLES = 240;

export interface StoreOptions {
  /** Keep the document in this browser and start from the kept one. */
  keep: boolean;
}

export class Store {
  readonly scene = signal<Scene>(EMPTY);
  readonly selection = signal<number | null>(null);
  readonly focus = signal<[number, number] | null>(null);
  readonly contacts = signal<Contacts | null>(null);
  readonly welcome = signal<Welcome | null>(null);
  readonly tool = signal<Tool>('move');
  readonly time = signal(0);
  readonly playing = signal(false);
  readonly plot = signal<Plot | null>(null);
  readonly trace = signal<Trace | null>(null);
  readonly traceWanted = signal(false);
  readonly step = signal(0);
  readonly notice = signal<{ text: string; kind: 'info' | 'error' } | null>(null);
  readonly canUndo = signal(false);
  readonly canRedo = signal(false);
  /** True while what is shown was computed from what is edited. */
  readonly settled = signal(false);
  readonly connection: Connection;

  readonly selected = computed(() => this.scene.value.bodies.find((body) => body.id === this.selection.value) ?? null);
  /** The contact that is looked at: the chosen pair, else the closest one of the selected body, else the closest one. */
  readonly contact = computed<Contact | null>(() => this.findContact());

  /** Called with every mesh that arrives. */
  onFrame: (frame: Frame) => void = () => undefined;

  private readonly history = new History<Scene>();
  private readonly sync: Sync;
  private readonly waiting = new Map<number, (message: ServerMessage) => void>();
  private before: Scene | null = null;
  private request = 0;
  private plotTimer: number | undefined;
  private draftTimer: number | undefined;
  private readonly disposers: (() => void)[] = [];

  constructor(private readonly options: StoreOptions) {
    this.connection = new Connection({
      welcome: (welcome) => {
        this.greet(welcome);
      },
      message: (message) => {
        this.hear(message);
      },
      frame: (frame) => {
        this.onFrame(frame);
      },
    });
    this.sync = new Sync(
      (message) => this.connection.send(message),
      () => this.scene.value,
    );
    this.disposers.push(
      effect(() => {
        const scene = this.scene.value;
        this.settled.value = this.sync.flush();
        if (options.keep && scene !== EMPTY) {
          window.clearTimeout(this.draftTimer);
          this.draftTimer = window.setTimeout(() => {
            keepDraft(this.scene.peek());
          }, 300);
        }
      }),
    );
  }

  close(): void {
    for (const dispose of this.disposers) dispose();
    window.clearTimeout(this.plotTimer);
    if (this.options.keep && this.scene.peek() !== EMPTY) keepDraft(this.scene.peek());
    this.connection.close();
  }

  // Changes

  /** Changes the document in one step that can be undone. */
  change(how: (scene: Scene) => Scene): void {
    this.begin();
    this.adjust(how);
    this.commit();
  }

  changeBody(id: number, how: (body: Body) => Body): void {
    this.change((scene) => replaceBody(scene, id, how));
  }

  /** Starts a gesture: everything until `commit` is undone at once. */
  begin(): void {
    this.before ??= this.scene.peek();
  }

  adjust(how: (scene: Scene) => Scene): void {
    this.scene.value = how(this.scene.peek());
  }

  adjustBody(id: number, how: (body: Body) => Body): void {
    this.adjust((scene) => replaceBody(scene, id, how));
  }

  commit(): void {
    const before = this.before;
    this.before = null;
    if (before && before !== this.scene.peek()) {
      this.history.push(before);
      this.noteHistory();
      this.refreshPlot();
      this.refreshTrace();
    }
  }

  undo(): void {
    this.restore(this.history.undo(this.scene.peek()));
  }

  redo(): void {
    this.restore(this.history.redo(this.scene.peek()));
  }

  /** Replaces the whole document. */
  open(scene: Scene): void {
    batch(() => {
      this.playing.value = false;
      this.time.value = 0;
      this.selection.value = null;
      this.focus.value = null;
      this.trace.value = null;
      this.plot.value = null;
      this.change(() => sceneAt(scene, 0));
    });
  }

  add(type: ShapeType): void {
    const { bodies } = this.scene.peek();
    if (bodies.length >= (this.welcome.peek()?.limits.bodies ?? 0)) {
      this.say(`A scene holds at most ${this.welcome.peek()?.limits.bodies ?? 0} bodies.`, 'error');
      return;
    }
    const id = 1 + bodies.reduce((most, body) => Math.max(most, body.id), 0);
    this.change((scene) => ({ ...scene, bodies: [...scene.bodies, newBody(id, type, bodies.length)] }));
    this.selection.value = id;
  }

  duplicate(id: number): void {
    const body = this.scene.peek().bodies.find((other) => other.id === id);
    if (!body) return;
    const fresh = 1 + this.scene.peek().bodies.reduce((most, other) => Math.max(most, other.id), 0);
    const [x, y, z] = body.position;
    const { keys: _keys, ...rest } = body;
    const copy: Body = { ...rest, id: fresh, name: `${body.name} copy`, position: [x + 0.6, y + 0.6, z] };
    this.change((scene) => ({ ...scene, bodies: [...scene.bodies, copy] }));
    this.selection.value = fresh;
  }

  remove(id: number): void {
    batch(() => {
      if (this.selection.peek() === id) this.selection.value = null;
      if (this.focus.peek()?.includes(id)) this.focus.value = null;
      this.change((scene) => ({ ...scene, bodies: scene.bodies.filter((body) => body.id !== id) }));
    });
  }

  /** Goes to a time of the motion, which is no edit. */
  seek(time: number): void {
    const scene = this.scene.peek();
    const within = Math.min(Math.max(time, 0), scene.duration);
    batch(() => {
      this.time.value = within;
      this.scene.value = sceneAt(scene, within);
    });
  }

  say(text: string, kind: 'info' | 'error' = 'info'): void {
    this.notice.value = { text, kind };
  }

  // Requests

  /** Asks for the world as the server holds it. */
  async serverScene(): Promise<Scene | null> {
    const answer = await this.ask((request) => this.connection.send({ get_scene: { request } }));
    return answer && 'scene' in answer ? answer.scene.scene : null;
  }

  /** Lets the server read lines of `superegg query`. */
  async paste(text: string): Promise<boolean> {
    const answer = await this.ask((request) => this.connection.send({ parse: { request, text } }));
    if (answer && 'parsed' in answer) {
      this.open(answer.parsed.scene);
      return true;
    }
    return false;
  }

  /** Asks for previews; they come as frames with the returned number. */
  previews(id: number, grid: number): number {
    const request = ++this.request;
    this.connection.send({ get_previews: { request, id, grid } });
    return request;
  }

  refreshTrace(): void {
    const contact = this.contact.peek();
    if (!this.traceWanted.peek() || !contact) return;
    void this.ask((request) => this.connection.send({ get_trace: { request, pair: [contact.a, contact.b] } })).then((answer) => {
      if (!answer || !('trace' in answer)) return;
      const last = Math.max(answer.trace.trace.steps.length - 1, 0);
      const old = this.trace.peek();
      const atEnd = !old || this.step.peek() >= old.steps.length - 1;
      batch(() => {
        this.trace.value = answer.trace.trace;
        this.step.value = atEnd ? last : Math.min(this.step.peek(), last);
      });
    });
  }

  refreshPlot(): void {
    window.clearTimeout(this.plotTimer);
    this.plotTimer = window.setTimeout(() => {
      const contact = this.contact.peek();
      if (!contact || !moves(this.scene.peek())) {
        this.plot.value = null;
        return;
      }
      void this.ask((request) =>
        this.connection.send({ get_plot: { request, pair: [contact.a, contact.b], samples: SAMPLES } }),
      ).then((answer) => {
        if (answer && 'plot' in answer) this.plot.value = answer.plot.plot;
      });
    }, 60);
  }

  private ask(send: (request: number) => boolean): Promise<ServerMessage | null> {
    const request = ++this.request;
    return new Promise((resolve) => {
      if (!send(request)) {
        resolve(null);
        return;
      }
      this.waiting.set(request, resolve);
    });
  }

  // The server's side

  private greet(welcome: Welcome): void {
    this.welcome.value = welcome;
    for (const resolve of this.waiting.values()) resolve({ pong: { request: 0 } });
    this.waiting.clear();
    const first = welcome.scenes[0];
    if (this.scene.peek() === EMPTY) {
      const kept = this.options.keep ? readDraft() : null;
      const start = kept ?? first;
      if (start) this.scene.value = sceneAt(start, 0);
    }
    this.sync.restart();
    this.refreshPlot();
  }

  private hear(message: ServerMessage): void {
    if ('contacts' in message) {
      const pair = this.contact.peek();
      batch(() => {
        this.contacts.value = message.contacts;
        this.settled.value = this.sync.computed(message.contacts.revision);
      });
      const now = this.contact.peek();
      if (now && (now.a !== pair?.a || now.b !== pair.b)) {
        this.refreshPlot();
        this.refreshTrace();
      }
      return;
    }
    if ('failure' in message) {
      const { request, revision, field, message: text } = message.failure;
      this.say(field ? `${field}: ${text}` : text, 'error');
      if (request !== null) this.answer(request, message);
      if (revision !== null) {
        this.sync.refused();
        this.scene.value = this.sync.accepted ?? this.welcome.peek()?.scenes[0] ?? EMPTY;
        this.sync.flush();
      }
      return;
    }
    const request = Object.values(message)[0] as { request?: number };
    if (typeof request.request === 'number') this.answer(request.request, message);
  }

  private answer(request: number, message: ServerMessage): void {
    this.waiting.get(request)?.(message);
    this.waiting.delete(request);
  }

  private restore(scene: Scene | null): void {
    if (!scene) return;
    this.before = null;
    this.scene.value = scene;
    this.noteHistory();
    this.refreshPlot();
    this.refreshTrace();
  }

  private noteHistory(): void {
    this.canUndo.value = this.history.canUndo;
    this.canRedo.value = this.history.canRedo;
  }

  private findContact(): Contact | null {
    const pairs = this.contacts.value?.pairs ?? [];
    const focus = this.focus.value;
    const chosen = focus && pairs.find((pair) => focus.includes(pair.a) && focus.includes(pair.b));
    if (chosen) return chosen;
    const selection = this.selection.value;
    const near = pairs.filter((pair) => selection === null || pair.a === selection || pair.b === selection);
    const candidates = near.length > 0 ? near : pairs;
    const distance = (pair: Contact) => pair.answer?.distance ?? Infinity;
    return candidates.reduce<Contact | null>((best, pair) => (best && distance(best) <= distance(pair) ? best : pair), null);
  }
}

export function replaceBody(scene: Scene, id: number, how: (body: Body) => Body): Scene {
  return { ...scene, bodies: scene.bodies.map((body) => (body.id === id ? how(body) : body)) };
}

function newBody(id: number, type: ShapeType, count: number): Body {
  const angle = 2.4 * count;
  const place = {
    id,
    position: [2.2 * Math.cos(angle), 2.2 * Math.sin(angle), 0.8] as [number, number, number],
    orientation: [0, 0, 0, 1] as [number, number, number, number],
  };
  switch (type) {
    case 'superellipsoid':
      return { ...place, name: `Body ${id}`, type, radii: [0.8, 0.8, 0.8], exponents: [0.5, 0.5] };
    case 'superovoid':
      return { ...place, name: `Egg ${id}`, type, radii: [0.65, 0.65, 0.9], exponents: [1, 1], taper: [-0.2, -0.2] };
    case 'plane':
      return { ...place, name: `Plane ${id}`, type, normal: [0, 0, 1], offset: 0, position: [0, 0, -1.2] };
    case 'point':
      return { ...place, name: `Point ${id}`, type };
    case 'segment':
      return { ...place, name: `Segment ${id}`, type, points: [[-0.7, 0, 0], [0.7, 0, 0]] };
    case 'triangle':
      return { ...place, name: `Triangle ${id}`, type, points: [[-0.8, -0.5, 0], [0.8, -0.5, 0], [0, 0.9, 0]] };
  }
}
