// Multibody Sketcher's document, what is chosen in it, and the conversation with its session.
//
// What is drawn is asked for: the session answers with the creature after it, which becomes a step that can be undone. Such questions
// go one after the other, each when the session knows all that came before.

import { batch, computed, effect, signal } from '@preact/signals';
import { Matrix4, Quaternion, Vector3 } from 'three';

import { Document } from '../../document/document';
import { Draft } from '../../document/draft';
import { Files } from '../../document/files';
import { isRecord, Shelf } from '../../document/storage';
import type { Frame } from '../../link/geometry';
import { inWords, Link } from '../../link/link';
import { Unanswered } from '../../link/requests';
import type { StateFrame } from '../../link/state-frame';
import { Sync } from '../../link/sync';
import type { Said } from '../../ui/Notice';
import { difference } from './difference';
import { APP, APP_VERSION, type Ask, type Bone, type Contact, type Creature, type Edit, type ExportFormat, type Facts, type Hitbox, type Reply, type Show, type Stance, type State, type Stroke } from './messages';
import { withHitbox } from './skeleton';

export interface SketcherMessages {
  Facts: Facts;
  Edit: Edit;
  Ask: Ask;
  Answer: Reply;
  State: State;
  Event: never;
}

export type Mode = 'skeleton' | 'joint' | 'hitbox' | 'pose' | 'physics';
export type ViewName = 'front' | 'back' | 'left' | 'right' | 'top' | 'bottom' | 'free';
export type Chosen = { kind: 'joint' | 'bone' | 'hitbox'; id: number };

/** Objects of frames: bones, what is close, the clock of the animation. */
const [BONES, CLOSE, CLOCK] = [1, 2, 3];
/** Numbers of what is close: two bones, a distance, two places. */
const NUMBERS = 9;

export const AT_REST: Stance = { position: [0, 0, 0], orientation: [0, 0, 0, 1], turns: [] };
const EMPTY: Creature = { name: 'Untitled', joints: [], bones: [], hitboxes: [], stance: AT_REST, keys: [], mirror: true };

/** A creature in what was kept or opened; what is inside is checked by the session. */
export function asCreature(value: unknown): Creature {
  const lists = ['joints', 'bones', 'hitboxes', 'keys'];
  const sound = isRecord(value) && typeof value['name'] === 'string' && isRecord(value['stance']) && lists.every((list) => Array.isArray(value[list]));
  if (!sound) throw new Error('the creature is damaged');
  return value as unknown as Creature;
}

export class Store {
  readonly document = new Document<Creature>(EMPTY, () => undefined);
  readonly link: Link<SketcherMessages>;
  readonly mode = signal<Mode>('skeleton');
  readonly chosen = signal<Chosen | null>(null);
  /** What handles of hitboxes do. */
  readonly tool = signal<'move' | 'turn' | 'shape'>('shape');
  /** Strokes take away what they touch. */
  readonly erasing = signal(false);
  /** Strokes are lines of action. */
  readonly lining = signal(false);
  /** How many views there are, and which way each looks. */
  readonly layout = signal<1 | 2 | 4>(1);
  readonly views = signal<ViewName[]>(['front', 'right', 'top', 'free']);
  readonly hang = signal(true);
  readonly playing = signal(false);
  /** Seconds of the animation. */
  readonly time = signal(0);
  readonly state = signal<State | null>(null);
  readonly speed = signal(1);
  readonly notice = signal<Said | null>(null);
  /** The session knows what is edited. */
  readonly settled = signal(false);
  /** What is asked for and not answered yet. */
  readonly busy = signal(0);
  readonly shelf = new Shelf<Creature>(APP, asCreature);
  /** What is edited, as this browser keeps it. */
  readonly draft: Draft;
  readonly files = new Files();
  /** How bones were moved from rest; none while all are at rest. */
  readonly places = signal<ReadonlyMap<number, Matrix4>>(new Map());
  readonly contacts = signal<Contact[]>([]);
  readonly live = computed(() => this.mode.value === 'physics' || (this.mode.value === 'pose' && this.playing.value));
  newest: StateFrame | null = null;
  onGeometry: (frame: Frame) => void = () => undefined;

  private readonly sync: Sync<Creature, Edit>;
  private queue: Promise<unknown> = Promise.resolve();
  private readonly disposers: (() => void)[] = [];
  /** Joints that are drawn to places: the latest that waits. */
  private reaching: { busy: boolean; next: (() => Promise<void>) | null } = { busy: false, next: null };

  constructor(private readonly keep = true) {
    this.draft = new Draft(keep ? () => {
      this.shelf.keepDraft(this.creature);
    } : null);
    this.link = new Link<SketcherMessages>({ name: APP, version: APP_VERSION }, {
      welcome: (facts) => {
        this.greet(facts);
      },
      state: (revision, state) => {
        batch(() => {
          this.hear(state);
          this.settled.value = this.sync.computed(revision);
        });
      },
      geometry: (frame) => {
        this.onGeometry(frame);
      },
      frame: (frame) => {
        this.newest = frame;
        this.speed.value = frame.speed;
      },
      failure: (failure) => {
        this.say(inWords(failure), 'error');
        if (failure.revision === null) return;
        this.sync.refused();
        this.document.cancel();
        this.document.reset(this.sync.accepted ?? EMPTY);
        this.settled.value = this.sync.flush();
        if (this.mode.peek() === 'physics') this.setMode('skeleton');
      },
    });
    this.sync = new Sync<Creature, Edit>({
      wanted: () => this.document.value.value,
      difference,
      files: ({ meshes }) => new Map((meshes ?? []).map(({ file, hash }) => [file, hash])),
      edit: (revision, edit) => this.link.edit(revision, edit),
      upload: (name, hash) => {
        const content = this.files.get(hash);
        if (!content) return false;
        this.link.upload(name, content).catch(() => undefined);
        return true;
      },
    });
    this.disposers.push(
      effect(() => {
        const shown = this.document.value.value;
        this.settled.value = this.sync.flush() && shown === this.document.value.peek();
      }),
      effect(() => {
        if (this.document.value.value !== EMPTY) this.draft.changed();
      }),
    );
  }

  close(): void {
    for (const dispose of this.disposers) dispose();
    this.draft.close();
    this.link.close();
  }

  // The document

  get creature(): Creature {
    return this.document.value.peek();
  }

  bone(id: number | undefined): Bone | undefined {
    return this.creature.bones.find((bone) => bone.id === id);
  }

  hitbox(id: number | undefined): Hitbox | undefined {
    return this.creature.hitboxes.find((hitbox) => hitbox.id === id);
  }

  /** Shows another creature. */
  open(creature: Creature, undoable = true): void {
    batch(() => {
      this.chosen.value = null;
      this.playing.value = false;
      this.time.value = 0;
      if (this.mode.peek() === 'physics') this.setMode('skeleton');
      if (undoable) this.document.change('Open', () => creature);
      else this.document.reset(creature);
    });
  }

  change(label: string, how: (creature: Creature) => Creature): void {
    this.document.change(label, how);
  }

  adjustHitbox(id: number, how: (hitbox: Hitbox) => Hitbox): void {
    this.document.adjust((creature) => withHitbox(creature, id, how, this.link.facts.peek()));
  }

  undo(): void {
    if (this.mode.peek() === 'physics') return;
    this.document.undo();
    this.forget();
  }

  redo(): void {
    if (this.mode.peek() === 'physics') return;
    this.document.redo();
    this.forget();
  }

  /** What is gone is not chosen. */
  private forget(): void {
    const { joints, bones, hitboxes } = this.creature;
    const { value } = this.chosen;
    const list = value?.kind === 'joint' ? joints : value?.kind === 'bone' ? bones : hitboxes;
    if (value && !list.some(({ id }) => id === value.id)) this.chosen.value = null;
  }

  // What is shown

  setMode(mode: Mode): void {
    batch(() => {
      this.document.cancel();
      this.mode.value = mode;
      this.playing.value = false;
      this.erasing.value = false;
      this.lining.value = false;
      this.chosen.value = null;
      this.show();
    });
  }

  setHang(hang: boolean): void {
    this.hang.value = hang;
    this.show();
  }

  play(playing: boolean): void {
    if (playing && this.creature.keys.length < 2) {
      this.say('Set at least two keyframes first: pose, choose a time, press Key.');
      return;
    }
    this.playing.value = playing;
    this.show();
  }

  private show(): void {
    const show = this.wanted();
    this.settled.value = false;
    this.newest = null;
    this.sync.say({ show: { show } });
  }

  private wanted(): Show {
    switch (this.mode.peek()) {
      case 'physics':
        return { physics: { hang: this.hang.peek() } };
      case 'pose':
        return this.playing.peek() ? { playing: { from: this.time.peek() } } : { posed: {} };
      default:
        return { rest: {} };
    }
  }

  private hear(state: State): void {
    this.state.value = state;
    if (state.halted) this.say(state.halted, 'error');
    this.contacts.value = state.contacts;
    if ('rest' in state.show) {
      this.places.value = new Map();
      if (state.halted && this.mode.peek() === 'physics') this.mode.value = 'skeleton';
    } else if ('posed' in state.show) {
      this.places.value = new Map(state.places.map(({ bone, position, orientation }) => [bone, matrixOf(position, orientation)]));
    }
  }

  /** Takes over a frame of what moves by itself. */
  apply(frame: StateFrame): void {
    if (!this.live.peek()) return;
    const numbers = frame.scalars.get(CLOSE);
    batch(() => {
      const poses = frame.poses.get(BONES) ?? [];
      this.places.value = new Map(poses.map(({ id, position, orientation }) => [id, matrixOf(position, orientation)]));
      if (numbers) this.contacts.value = contactsOf(numbers);
      if (this.playing.peek()) this.time.value = frame.scalars.get(CLOCK)?.[0] ?? 0;
    });
  }

  // Questions

  say(text: string, kind: 'info' | 'error' = 'info'): void {
    this.notice.value = { text, kind };
  }

  /** Waits until the session knows what is edited. */
  private quiet(): Promise<void> {
    return new Promise((resolve) => {
      const stop = effect(() => {
        if (this.settled.value) queueMicrotask(() => {
          stop();
          resolve();
        });
      });
    });
  }

  /** Asks when all that came before is answered; null when it was refused, which is said. */
  private ask(ask: () => Ask): Promise<Reply | null> {
    this.busy.value += 1;
    const asked = this.queue.then(async () => {
      await this.quiet();
      try {
        return await this.link.ask(ask());
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
        if (error.why === 'refused') this.say(error.message, 'error');
        return null;
      }
    });
    this.queue = asked.finally(() => {
      this.busy.value -= 1;
    }).catch(() => undefined);
    return asked;
  }

  /** What is drawn becomes a step that can be undone. Returns hitboxes that are new. */
  async draw(label: string, ask: Ask): Promise<number[]> {
    const reply = await this.ask(() => ask);
    if (!reply || !('drawn' in reply)) return [];
    const { creature, hint, hitboxes } = reply.drawn;
    if (hint) this.say(hint);
    if (creature) {
      this.change(label, () => creature);
      this.forget();
    }
    return hitboxes;
  }

  /** A joint is drawn to a place; of places that come faster than answers the latest counts. */
  reach(joint: number, to: Vector3, start: Stance): void {
    const ask = async () => {
      try {
        const reply = await this.link.ask({ reach: { joint, to: to.toArray(), stance: start } });
        if ('stance' in reply && this.document.isHeld) this.document.adjust((creature) => ({ ...creature, stance: reply.stance.stance }));
      } catch (error) {
        if (!(error instanceof Unanswered)) throw error;
      }
    };
    this.reaching.next = ask;
    if (this.reaching.busy) return;
    this.reaching.busy = true;
    const run = async () => {
      for (let next = this.reaching.next; next; next = this.reaching.next) {
        this.reaching.next = null;
        await next();
      }
      this.reaching.busy = false;
    };
    void run();
  }

  /** Waits until a joint is where it was drawn to. */
  async reached(): Promise<void> {
    while (this.reaching.busy) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async follow(stroke: Stroke): Promise<void> {
    const reply = await this.ask(() => ({ follow: { stroke, stance: this.creature.stance } }));
    if (!reply || !('stance' in reply)) return;
    if (reply.stance.hint) this.say(reply.stance.hint);
    else this.change('Line of action', (creature) => ({ ...creature, stance: reply.stance.stance }));
  }

  /** Shows how it stands at a time. */
  async scrub(time: number): Promise<void> {
    this.time.value = time;
    if (this.creature.keys.length === 0) return;
    try {
      const reply = await this.link.ask({ at: { time } });
      if ('stance' in reply && this.time.peek() === time) this.document.adjust((creature) => ({ ...creature, stance: reply.stance.stance }));
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
    }
  }

  async exported(format: ExportFormat): Promise<{ name: string; base64: string } | null> {
    const reply = await this.ask(() => ({ export: { format } }));
    return reply && 'file' in reply ? reply.file : null;
  }

  async imported(text: string): Promise<Creature | null> {
    const reply = await this.ask(() => ({ import: { text } }));
    if (!reply || !('imported' in reply)) return null;
    const { creature, notes } = reply.imported;
    if (notes.length > 0) this.say(notes.length === 1 ? (notes[0] ?? '') : `${notes[0] ?? ''} (and ${notes.length - 1} more)`);
    return creature;
  }

  /** The creature as the session holds it, for tests. */
  async serverCreature(): Promise<Creature | null> {
    const answer = await this.link.ask({ creature: {} });
    return 'creature' in answer ? answer.creature : null;
  }

  private greet(facts: Facts): void {
    if (this.creature === EMPTY) {
      const start = (this.keep ? this.shelf.readDraft() : null) ?? facts.gallery[0];
      if (start) this.document.reset(start);
    }
    const meshes = new Map((this.creature.meshes ?? []).map(({ file, hash }) => [file, hash]));
    void this.files.fetch(meshes).then(({ missing }) => {
      if (missing.length > 0) this.say(`This browser no longer has ${missing.join(', ')}: open it again to see it.`);
      this.settled.value = this.sync.restart();
      if (this.mode.peek() !== 'skeleton') this.show();
    });
  }
}

function matrixOf(position: [number, number, number], orientation: [number, number, number, number]): Matrix4 {
  return new Matrix4().compose(new Vector3(...position), new Quaternion(...orientation).normalize(), new Vector3(1, 1, 1));
}

function contactsOf(numbers: Float32Array): Contact[] {
  const found: Contact[] = [];
  for (let at = 0; at + NUMBERS <= numbers.length; at += NUMBERS) {
    const [a = 0, b = 0, distance = 0, x = 0, y = 0, z = 0, u = 0, v = 0, w = 0] = numbers.subarray(at, at + NUMBERS);
    found.push({ bones: [a, b], distance, points: [[x, y, z], [u, v, w]] });
  }
  return found;
}
