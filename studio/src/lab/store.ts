// The document of Contact Lab and what is known about it. Documents are immutable; every change goes through `change`
// or, during a gesture, through `adjust` between `begin` and `commit`.

import { batch, computed, effect, signal } from '@preact/signals';

import { Connection } from '../protocol/connection';
import type { Frame } from '../protocol/frame';
import type { Body, Contact, Contacts, Plot, Scene, ServerMessage, ShapeType, Trace, Welcome } from '../protocol/messages';
import { canJoin, joined, newBody, takenApart } from './forms';
import { History } from './history';
import { filesOf, Meshes } from './meshes';
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

  readonly meshes = new Meshes();
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
      (file) => {
        const content = this.meshes.get(file);
        return content !== undefined && this.connection.upload(++this.request, file, content);
      },
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

  /** Replaces the whole document. Meshes that are not at hand are looked for in this browser first. */
  open(scene: Scene): void {
    if (filesOf(scene).every((file) => this.meshes.get(file))) {
      this.show(scene);
      return;
    }
    void this.complete(scene).then((whole) => {
      this.show(whole);
    });
  }

  private show(scene: Scene): void {
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

  /** The scene with its meshes at hand; without the bodies whose mesh is nowhere. */
  private async complete(scene: Scene): Promise<Scene> {
    const missing = await this.meshes.fetch(scene);
    if (missing.length === 0) return scene;
    this.say(`Left out, because this browser does not have it: ${missing.join(', ')}`, 'error');
    return { ...scene, bodies: scene.bodies.filter((body) => body.file === undefined || !missing.includes(body.file)) };
  }

  add(type: ShapeType): void {
    const { bodies } = this.scene.peek();
    if (!this.hasRoom()) return;
    const id = this.freeId();
    this.change((scene) => ({ ...scene, bodies: [...scene.bodies, newBody(id, type, bodies.length)] }));
    this.selection.value = id;
  }

  /** Adds the mesh of a file; false when it was refused. */
  async addMesh(file: File): Promise<boolean> {
    const most = this.welcome.peek()?.limits.mesh_bytes ?? 0;
    if (!this.hasRoom()) return false;
    if (file.size > most) {
      this.say(`${file.name} is larger than ${Math.floor(most / 1e6)} MB.`, 'error');
      return false;
    }
    const content = new Uint8Array(await file.arrayBuffer());
    const name = this.meshes.add(file.name, content);
    const answer = await this.ask((request) => this.connection.upload(request, name, content));
    if (!answer || !('meshes' in answer)) return false;
    const id = this.freeId();
    const body: Body = {
      ...newBody(id, 'mesh', this.scene.peek().bodies.length), name: name.replace(/\.[^.]*$/, ''), file: name,
    };
    this.change((scene) => ({ ...scene, bodies: [...scene.bodies, body] }));
    this.selection.value = id;
    return true;
  }

  /** Makes one compound of a body and the one it is closest to. */
  join(id: number): void {
    const contact = this.contact.peek();
    const { bodies } = this.scene.peek();
    const first = bodies.find((body) => body.id === id);
    const other = bodies.find((body) => contact && body.id !== id && (body.id === contact.a || body.id === contact.b));
    if (!first || !other) return;
    const unfit = [first, other].find((body) => !canJoin(body));
    if (unfit) {
      this.say(`${unfit.name} cannot be part of a compound.`, 'error');
      return;
    }
    batch(() => {
      this.focus.value = null;
      this.change((scene) => ({
        ...scene,
        bodies: scene.bodies.filter((body) => body !== other).map((body) => (body === first ? joined(first, [other]) : body)),
      }));
    });
  }

  takeApart(id: number): void {
    const body = this.scene.peek().bodies.find((other) => other.id === id);
    const parts = body?.parts?.length ?? 0;
    if (!body || parts === 0 || !this.hasRoom(parts - 1)) return;
    const apart = takenApart(body, this.freeId());
    this.change((scene) => ({ ...scene, bodies: scene.bodies.flatMap((other) => (other === body ? apart : [other])) }));
  }

  private freeId(): number {
    return 1 + this.scene.peek().bodies.reduce((most, body) => Math.max(most, body.id), 0);
  }

  private hasRoom(wanted = 1): boolean {
    const most = this.welcome.peek()?.limits.bodies ?? 0;
    const room = this.scene.peek().bodies.length + wanted <= most;
    if (!room) this.say(`A scene holds at most ${most} bodies.`, 'error');
    return room;
  }

  duplicate(id: number): void {
    const body = this.scene.peek().bodies.find((other) => other.id === id);
    if (!body || !this.hasRoom()) return;
    const fresh = this.freeId();
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

  /** Goes to the next moment of contact after the present time, or round to the first. */
  nextImpact(): void {
    const impacts = this.plot.peek()?.impacts ?? [];
    const next = impacts.find((impact) => impact.time > this.time.peek() + 1e-3) ?? impacts[0];
    if (!next) return;
    this.playing.value = false;
    this.seek(next.time);
    this.refreshTrace();
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
      if (kept && filesOf(kept).length > 0) {
        void this.complete(kept).then((whole) => {
          if (this.scene.peek() === EMPTY) this.scene.value = sceneAt(whole, 0);
          this.refreshPlot();
        });
      } else if (start) {
        this.scene.value = sceneAt(start, 0);
      }
    }
    this.sync.restart();
    this.refreshPlot();
    this.refreshTrace();
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
    if ('meshes' in message) this.sync.holds(message.meshes.meshes.map(({ file }) => file));
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
