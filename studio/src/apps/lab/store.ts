// Contact Lab's document, what is known about it, and the conversation with its session about both.

import { batch, computed, effect, signal } from '@preact/signals';

import { Document } from '../../document/document';
import { Draft } from '../../document/draft';
import { Files, type Content } from '../../document/files';
import { isRecord, Shelf } from '../../document/storage';
import type { Frame } from '../../link/geometry';
import { inWords, Link } from '../../link/link';
import { Question } from '../../link/question';
import { Unanswered } from '../../link/requests';
import { Sync } from '../../link/sync';
import type { Body } from '../../shapes/body';
import { moves, sceneAt, withKey } from '../../shapes/motion';
import type { Tool } from '../../widgets/handles';
import { difference } from './difference';
import { APP, APP_VERSION, type Ask, type Contact, type Contacts, type Edit, type ExportFormat, type Facts, type Plot, type Reply, type Scene, type Trace } from './messages';

/** What Contact Lab and its session say. */
export interface LabMessages {
  Facts: Facts;
  Edit: Edit;
  Ask: Ask;
  Answer: Reply;
  State: Contacts;
  Event: never;
}

/** Times at which a motion is plotted. */
const SAMPLES = 240;
/** Milliseconds after the last change until it is plotted. */
const PLOT_DELAY = 60;

export const EMPTY: Scene = { name: 'Untitled', bodies: [], solver: { method: 'default', tolerance: 1e-9 }, duration: 4 };

export interface StoreOptions {
  /** Keep the document in this browser and start from the kept one. */
  keep: boolean;
}

/** A scene in what was kept or opened; what is inside is checked by the session. */
export function asScene(value: unknown): Scene {
  const sound = isRecord(value) && Array.isArray(value['bodies']) && typeof value['name'] === 'string' && isRecord(value['solver']);
  if (!sound) throw new Error('the scene is damaged');
  return value as unknown as Scene;
}

/** The files that a scene names; those of old scenes have no hash. */
export function filesOf(scene: Scene): Map<string, string | null> {
  const names = new Set(scene.bodies.flatMap((body) => (body.file === undefined ? [] : [body.file])));
  return new Map([...names].map((name) => [name, scene.files?.[name] ?? null]));
}

export class Store {
  /** The body that panels and handles are about, and the others that move with it. */
  readonly selection = signal<number | null>(null);
  readonly others = signal<number[]>([]);
  readonly focus = signal<[number, number] | null>(null);
  readonly contacts = signal<Contacts | null>(null);
  readonly tool = signal<Tool>('move');
  /** Handles along the axes of the world or of the body. */
  readonly axes = signal<'world' | 'local'>('world');
  /** One view, or four: perspective, and straight from above, front and right. */
  readonly views = signal<'one' | 'four'>('one');
  /** Drags go by steps. */
  readonly snapping = signal(false);
  readonly time = signal(0);
  readonly playing = signal(false);
  /** Moving a body that has keys puts a key at the present time. */
  readonly autoKey = signal(true);
  readonly plot = signal<Plot | null>(null);
  readonly trace = signal<Trace | null>(null);
  readonly traceWanted = signal(false);
  readonly step = signal(0);
  readonly notice = signal<{ text: string; kind: 'info' | 'error' } | null>(null);
  /** True while what is shown was computed from what is edited. */
  readonly settled = signal(false);
  readonly shelf = new Shelf<Scene>(APP, asScene);
  /** What is edited, as this browser keeps it. */
  readonly draft: Draft;
  readonly files = new Files();
  readonly document: Document<Scene>;
  readonly link: Link<LabMessages>;

  /** What is shown: the document at the present time of its motion. */
  readonly scene;
  readonly welcome;
  readonly selected = computed(() => this.scene.value.bodies.find((body) => body.id === this.selection.value) ?? null);
  readonly contact = computed(() => contactOf(this.contacts.value?.pairs ?? [], this.focus.value, this.selection.value));

  /** Called with every mesh that arrives. */
  onFrame: (frame: Frame) => void = () => undefined;

  private readonly sync: Sync<Scene, Edit>;
  private readonly plotting: Question<Plot>;
  private readonly tracing: Question<Trace>;
  private plotTimer: number | undefined;
  private readonly disposers: (() => void)[] = [];

  constructor(private readonly options: StoreOptions) {
    this.document = new Document(EMPTY, () => {
      this.refreshPlot();
      this.refreshTrace();
    });
    this.draft = new Draft(options.keep ? () => {
      this.shelf.keepDraft(this.document.value.peek());
    } : null);
    this.scene = computed(() => sceneAt(this.document.value.value, this.time.value));
    this.link = new Link<LabMessages>({ name: APP, version: APP_VERSION }, {
      welcome: (facts) => {
        this.greet(facts);
      },
      state: (revision, state) => {
        this.hear(revision, state);
      },
      geometry: (frame) => {
        this.onFrame(frame);
      },
      files: (held) => {
        this.sync.holds(held.map(({ file }) => file));
      },
      failure: (failure) => {
        this.say(inWords(failure), 'error');
        if (failure.revision === null) return;
        this.sync.refused();
        this.document.cancel();
        this.document.reset(this.sync.accepted ?? this.welcome.peek()?.scenes[0] ?? EMPTY);
        this.settled.value = this.sync.flush();
      },
    });
    this.welcome = this.link.facts;
    this.sync = new Sync<Scene, Edit>({
      wanted: () => this.scene.value,
      difference,
      files: (scene) => new Map([...filesOf(scene)].flatMap(([name, hash]) => (hash === null ? [] : [[name, hash] as const]))),
      edit: (revision, edit) => this.link.edit(revision, edit),
      upload: (name, hash) => {
        const content = this.files.get(hash);
        if (content === undefined || this.link.state.peek() !== 'open') return false;
        this.link.upload(name, content).catch(ignore);
        return true;
      },
    });
    this.plotting = new Question(() => this.askPlot(), (plot) => {
      this.plot.value = plot;
    });
    this.tracing = new Question(() => this.askTrace(), (trace) => {
      const last = Math.max(trace.steps.length - 1, 0);
      const old = this.trace.peek();
      const atEnd = !old || this.step.peek() >= old.steps.length - 1;
      batch(() => {
        this.trace.value = trace;
        this.step.value = atEnd ? last : Math.min(this.step.peek(), last);
      });
    });
    this.disposers.push(
      effect(() => {
        if (this.settled.value) this.askDue();
      }),
      effect(() => {
        // Read here: while edits are under way, `flush` does not look at it.
        const shown = this.scene.value;
        this.settled.value = this.sync.flush() && shown === this.scene.peek();
      }),
      effect(() => {
        const document = this.document.value.value;
        if (document === EMPTY) return;
        this.draft.changed();
      }),
    );
  }

  close(): void {
    for (const dispose of this.disposers) dispose();
    window.clearTimeout(this.plotTimer);
    this.draft.close();
    this.link.close();
  }

  // Editing

  /** Changes what is shown in one step that can be undone. */
  change(how: (scene: Scene) => Scene, label = 'Edit'): void {
    this.document.change(label, this.intoDocument(how));
  }

  changeBody(id: number, how: (body: Body) => Body, label = 'Edit'): void {
    this.change((scene) => replaceBody(scene, id, how), label);
  }

  /** Starts a gesture: everything until `commit` is undone at once. */
  begin(label = 'Edit'): void {
    this.document.begin(label);
  }

  adjust(how: (scene: Scene) => Scene): void {
    this.document.adjust(this.intoDocument(how));
  }

  adjustBody(id: number, how: (body: Body) => Body): void {
    this.adjust((scene) => replaceBody(scene, id, how));
  }

  commit(): void {
    this.document.commit();
  }

  cancel(): void {
    this.document.cancel();
  }

  undo(): void {
    this.document.undo();
  }

  redo(): void {
    this.document.redo();
  }

  /** What a change of the shown scene means for the document: bodies that have keys get one where they are put. */
  private intoDocument(how: (scene: Scene) => Scene): (document: Scene) => Scene {
    return (document) => {
      const shown = sceneAt(document, this.time.peek());
      const next = how(shown);
      if (next === shown || shown === document) return next;
      const originals = new Map(document.bodies.map((body) => [body.id, body]));
      const before = new Map(shown.bodies.map((body) => [body.id, body]));
      return { ...next, bodies: next.bodies.map((body) => this.settledBody(body, before.get(body.id), originals.get(body.id))) };
    };
  }

  private settledBody(body: Body, shown: Body | undefined, original: Body | undefined): Body {
    if (!shown || !original) return body;
    if (body === shown) return original;
    if (!body.keys?.length || body.keys !== shown.keys) return body;
    const moved = body.position !== shown.position || body.orientation !== shown.orientation;
    if (moved && this.autoKey.peek()) {
      const keyed = withKey(body, this.time.peek());
      const most = this.welcome.peek()?.limits.keys ?? Infinity;
      if ((keyed.keys?.length ?? 0) <= most) {
        if (keyed.keys?.length !== body.keys.length) this.say(`A key at ${this.time.peek().toFixed(2)} s holds the new place of ${body.name}.`);
        return keyed;
      }
      this.say(`${body.name} has ${most} keys already: its new place is not kept. Remove one first.`, 'error');
    } else if (moved) {
      this.say(`${body.name} moves by its keys: put a key here, or its new place is not kept.`, 'error');
    }
    return { ...body, position: original.position, orientation: original.orientation };
  }

  isSelected(id: number): boolean {
    return this.selection.peek() === id || this.others.peek().includes(id);
  }

  /** Chooses a body; with `more` beside those that are chosen. */
  select(id: number | null, more = false): void {
    batch(() => {
      const first = this.selection.peek();
      if (!more || id === null || first === null) {
        this.selection.value = id;
        this.others.value = [];
      } else if (id === first) {
        const [next, ...rest] = this.others.peek();
        this.selection.value = next ?? null;
        this.others.value = rest;
      } else if (this.others.peek().includes(id)) {
        this.others.value = this.others.peek().filter((other) => other !== id);
      } else {
        this.others.value = [...this.others.peek(), id];
      }
    });
  }

  /** All bodies that are chosen. */
  chosen(): number[] {
    const first = this.selection.peek();
    return first === null ? [] : [first, ...this.others.peek()];
  }

  /** Replaces the whole document. Files that are not at hand are looked for in this browser first. */
  open(scene: Scene): void {
    if ([...filesOf(scene).values()].every((hash) => hash !== null && this.files.get(hash))) {
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
      this.select(null);
      this.focus.value = null;
      this.trace.value = null;
      this.plot.value = null;
      // What is on its way is about the old scene.
      this.plotting.renew();
      this.tracing.renew();
      this.document.change('Open', () => sceneAt(scene, 0));
    });
  }

  /** The scene with its files at hand; without the bodies whose file is nowhere. */
  private async complete(scene: Scene): Promise<Scene> {
    const { missing, found } = await this.files.fetch(filesOf(scene));
    const files = { ...scene.files, ...Object.fromEntries(found) };
    const whole = Object.keys(files).length > 0 ? { ...scene, files } : scene;
    if (missing.length === 0) return whole;
    this.say(`Left out, because this browser does not have it: ${missing.join(', ')}`, 'error');
    return { ...whole, bodies: scene.bodies.filter((body) => body.file === undefined || !missing.includes(body.file)) };
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

  /** Goes to a time of the motion. The document stays as it is. */
  seek(time: number): void {
    this.time.value = Math.min(Math.max(time, 0), this.document.value.peek().duration);
  }

  say(text: string, kind: 'info' | 'error' = 'info'): void {
    this.notice.value = { text, kind };
  }

  // Questions

  /** Sends the file of a mesh; false when it was refused. */
  async upload(name: string, content: Content): Promise<boolean> {
    try {
      await this.link.upload(name, content);
      return true;
    } catch (error) {
      if (error instanceof Unanswered && error.why === 'refused') this.say(error.message, 'error');
      return false;
    }
  }

  /** The file is with the session already. */
  uploaded(name: string, hash: string): void {
    this.sync.holdsContent(name, hash);
  }

  /** Asks for the world as the session holds it. */
  async serverScene(): Promise<Scene | null> {
    const answer = await this.ask({ scene: {} });
    return answer && 'scene' in answer ? answer.scene : null;
  }

  /** Lets the session read lines of `superegg query`; returns what is wrong with them, if anything. */
  async paste(text: string): Promise<string | null> {
    try {
      const answer = await this.link.ask({ parse: { text } });
      if ('parsed' in answer) this.open(answer.parsed);
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : 'The lines could not be read.';
    }
  }

  /** Asks for previews; they come as frames with the returned number. */
  previews(id: number, grid: number): number {
    const { request, answer } = this.link.askNumbered({ previews: { id, grid } });
    answer.catch(ignore);
    return request;
  }

  /** Bodies as a file for other programs. */
  async exported(format: ExportFormat): Promise<{ name: string; base64: string } | null> {
    const answer = await this.ask({ export: { ids: this.chosen(), format } }, true);
    return answer && 'file' in answer ? answer.file : null;
  }

  /** Asks the session. What a person asked for is refused aloud; what the page asks by itself may be about a body that is gone. */
  private async ask(ask: Ask, aloud = false): Promise<Reply | null> {
    try {
      return await this.link.ask(ask);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (aloud && error.why === 'refused') this.say(error.message, 'error');
      return null;
    }
  }

  /** The trace is to be of what is shown now. */
  refreshTrace(): void {
    this.tracing.renew();
    this.askDue();
  }

  /** The same of the plot, once the hand has rested for a moment. */
  refreshPlot(): void {
    window.clearTimeout(this.plotTimer);
    this.plotTimer = window.setTimeout(() => {
      this.plotting.renew();
      this.askDue();
    }, PLOT_DELAY);
  }

  private askDue(): void {
    if (!this.settled.peek()) return;
    this.plotting.settled();
    this.tracing.settled();
  }

  private async askPlot(): Promise<Plot | null> {
    const contact = this.contact.peek();
    if (!contact || !moves(this.document.value.peek())) {
      this.plot.value = null;
      return null;
    }
    const answer = await this.ask({ plot: { pair: [contact.a, contact.b], samples: SAMPLES } });
    return answer && 'plot' in answer ? answer.plot : null;
  }

  private async askTrace(): Promise<Trace | null> {
    const contact = this.contact.peek();
    if (!this.traceWanted.peek() || !contact) return null;
    const answer = await this.ask({ trace: { pair: [contact.a, contact.b] } });
    return answer && 'trace' in answer ? answer.trace : null;
  }

  // The session's side

  private greet(facts: Facts): void {
    if (this.document.value.peek() === EMPTY) {
      const kept = this.options.keep ? this.shelf.readDraft() : null;
      const start = kept ?? facts.scenes[0];
      if (kept && filesOf(kept).size > 0) {
        void this.complete(kept).then((whole) => {
          if (this.document.value.peek() === EMPTY) this.document.reset(sceneAt(whole, 0));
          this.refreshPlot();
        });
      } else if (start) {
        this.document.reset(sceneAt(start, 0));
      }
    }
    this.settled.value = this.sync.restart();
    this.refreshPlot();
    this.refreshTrace();
  }

  private hear(revision: number, contacts: Contacts): void {
    const pair = this.contact.peek();
    batch(() => {
      this.contacts.value = contacts;
      this.settled.value = this.sync.computed(revision);
    });
    const now = this.contact.peek();
    if (now && (now.a !== pair?.a || now.b !== pair.b)) {
      this.refreshPlot();
      this.refreshTrace();
    }
  }
}

/** What was lost with the connection is sent again after it. */
function ignore(): void {
  // Nothing to do.
}

export function replaceBody(scene: Scene, id: number, how: (body: Body) => Body): Scene {
  return { ...scene, bodies: scene.bodies.map((body) => (body.id === id ? how(body) : body)) };
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
