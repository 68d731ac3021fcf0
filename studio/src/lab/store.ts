// The document of Contact Lab, what is known about it, and the conversation with the server about both.

import { batch, computed, effect, signal } from '@preact/signals';

import { Connection } from '../protocol/connection';
import type { Frame } from '../protocol/frame';
import type { Contact, Contacts, Failure, Plot, Scene, ServerMessage, Trace, Welcome } from '../protocol/messages';
import { Document, EMPTY } from './document';
import { filesOf, Meshes } from './meshes';
import { moves, sceneAt } from './motion';
import { Requests } from './requests';
import { keepDraft, readDraft } from './storage';
import { Sync } from './sync';

export type Tool = 'move' | 'turn' | 'shape';

/** Times at which a motion is plotted. */
const SAMPLES = 240;

export interface StoreOptions {
  /** Keep the document in this browser and start from the kept one. */
  keep: boolean;
}

export class Store extends Document {
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
  /** True while what is shown was computed from what is edited. */
  readonly settled = signal(false);
  readonly connection: Connection;

  readonly selected = computed(() => this.scene.value.bodies.find((body) => body.id === this.selection.value) ?? null);
  readonly contact = computed(() => contactOf(this.contacts.value?.pairs ?? [], this.focus.value, this.selection.value));

  /** Called with every mesh that arrives. */
  onFrame: (frame: Frame) => void = () => undefined;

  readonly meshes = new Meshes();
  private readonly sync: Sync;
  private readonly requests = new Requests();
  private plotTimer: number | undefined;
  private draftTimer: number | undefined;
  private readonly disposers: (() => void)[] = [];

  constructor(private readonly options: StoreOptions) {
    super();
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
        return content !== undefined && this.connection.upload(this.requests.next(), file, content);
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

  protected changed(): void {
    this.refreshPlot();
    this.refreshTrace();
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

  /** Sends the file of a mesh; false when it was refused. */
  async upload(file: string, content: Uint8Array): Promise<boolean> {
    const answer = await this.requests.ask((request) => this.connection.upload(request, file, content));
    return answer !== null && 'meshes' in answer;
  }

  /** Asks for the world as the server holds it. */
  async serverScene(): Promise<Scene | null> {
    const answer = await this.requests.ask((request) => this.connection.send({ get_scene: { request } }));
    return answer && 'scene' in answer ? answer.scene.scene : null;
  }

  /** Lets the server read lines of `superegg query`; returns what is wrong with them, if anything. */
  async paste(text: string): Promise<string | null> {
    const answer = await this.requests.ask((request) => this.connection.send({ parse: { request, text } }));
    if (answer && 'parsed' in answer) {
      this.open(answer.parsed.scene);
      return null;
    }
    return answer && 'failure' in answer ? inWords(answer.failure) : 'The connection was lost. Try again when it is back.';
  }

  /** Asks for previews; they come as frames with the returned number. */
  previews(id: number, grid: number): number {
    const request = this.requests.next();
    this.connection.send({ get_previews: { request, id, grid } });
    return request;
  }

  refreshTrace(): void {
    const contact = this.contact.peek();
    if (!this.traceWanted.peek() || !contact) return;
    void this.requests.ask((request) => this.connection.send({ get_trace: { request, pair: [contact.a, contact.b] } })).then((answer) => {
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
      void this.requests.ask((request) =>
        this.connection.send({ get_plot: { request, pair: [contact.a, contact.b], samples: SAMPLES } }),
      ).then((answer) => {
        if (answer && 'plot' in answer) this.plot.value = answer.plot.plot;
      });
    }, 60);
  }

  // The server's side

  private greet(welcome: Welcome): void {
    this.welcome.value = welcome;
    this.requests.abandon();
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
      const { request, revision } = message.failure;
      this.say(inWords(message.failure), 'error');
      if (request !== null) this.requests.answer(request, message);
      if (revision !== null) {
        this.sync.refused();
        this.scene.value = this.sync.accepted ?? this.welcome.peek()?.scenes[0] ?? EMPTY;
        this.sync.flush();
      }
      return;
    }
    if ('meshes' in message) this.sync.holds(message.meshes.meshes.map(({ file }) => file));
    const request = Object.values(message)[0] as { request?: number };
    if (typeof request.request === 'number') this.requests.answer(request.request, message);
  }
}

function inWords({ field, message }: Failure): string {
  return field ? `${field}: ${message}` : message;
}

/** The contact that is looked at: the chosen pair, else the closest one of the selected body, else the closest one. */
function contactOf(pairs: Contact[], focus: [number, number] | null, selection: number | null): Contact | null {
  const chosen = focus && pairs.find((pair) => focus.includes(pair.a) && focus.includes(pair.b));
  if (chosen) return chosen;
  const near = pairs.filter((pair) => selection === null || pair.a === selection || pair.b === selection);
  const candidates = near.length > 0 ? near : pairs;
  const distance = (pair: Contact) => pair.answer?.distance ?? Infinity;
  return candidates.reduce<Contact | null>((best, pair) => (best && distance(best) <= distance(pair) ? best : pair), null);
}
