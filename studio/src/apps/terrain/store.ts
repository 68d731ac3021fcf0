// Terrain Cloth's document, what is chosen in it, and the conversation with its session.
//
// A document has a moment: every step that can be undone gets a new one, and the session lays the cloth as it lay when it comes back
// to an old one. So undoing a drag brings the folds back.

import { batch, computed, effect, signal } from '@preact/signals';

import { Document } from '../../document/document';
import { Draft } from '../../document/draft';
import { isRecord, Shelf } from '../../document/storage';
import type { Frame } from '../../link/geometry';
import { inWords, Link } from '../../link/link';
import { Unanswered } from '../../link/requests';
import type { StateFrame } from '../../link/state-frame';
import { Sync } from '../../link/sync';
import { coarser, difference, drapeOf } from './difference';
import { APP, APP_VERSION, type Ask, type Edit, type ExportFormat, type Facts, type Hill, type Landscape, type Reply, type Settings, type State } from './messages';

export interface TerrainMessages {
  Facts: Facts;
  Edit: Edit;
  Ask: Ask;
  Answer: Reply;
  State: State;
  Event: never;
}

/** A landscape as it is kept and saved: with how its cloth lies. */
export type Stored = Landscape & { drape?: string };

export type Look = 'cloth' | 'terrain';

/** The cloth as an object of frames and geometry. */
export const CLOTH = 1;

const EMPTY: Landscape = {
  name: 'Untitled', hills: [], moment: 0,
  settings: { pins: [], fabric: { stiffness: 0.35, friction: 0.5, thickness: 0.008 }, side: 41, wind: { speed: 0, direction: 0 }, frozen: false, drops: 0, smooths: 0 },
};

/** A landscape in what was kept or opened; what is inside is checked by the session. */
export function asStored(value: unknown): Stored {
  const sound = isRecord(value) && Array.isArray(value['hills']) && typeof value['name'] === 'string' && isRecord(value['settings']);
  if (!sound) throw new Error('the landscape is damaged');
  return value as unknown as Stored;
}

export class Store {
  readonly document: Document<Landscape>;
  readonly link: Link<TerrainMessages>;
  readonly look = signal<Look>('cloth');
  /** Chosen bodies; the last is the one that handles are about. */
  readonly chosen = signal<number[]>([]);
  readonly pin = signal<number | null>(null);
  readonly state = signal<State | null>(null);
  readonly speed = signal(1);
  readonly notice = signal<{ text: string; kind: 'info' | 'error' } | null>(null);
  /** The session knows what is edited. */
  readonly settled = signal(false);
  readonly walking = computed(() => this.state.value?.walking ?? false);
  readonly shelf = new Shelf<Stored>(APP, asStored);
  /** What is edited, as this browser keeps it. */
  readonly draft: Draft;
  /** The newest frame of the cloth, from which it is saved. */
  newest: StateFrame | null = null;
  onGeometry: (frame: Frame) => void = () => undefined;
  onFrame: (frame: StateFrame) => void = () => undefined;

  private readonly sync: Sync<Landscape, Edit>;
  /** Landscapes to be opened as a whole, with how their cloth lies. */
  private readonly opening = new WeakMap<Landscape, string | null>();
  private moment = 1;
  /** The gesture under way has its moment. */
  private marked = false;
  private readonly disposers: (() => void)[] = [];

  constructor(private readonly keep = true) {
    this.document = new Document(EMPTY, () => undefined);
    this.draft = new Draft(keep ? () => {
      this.shelf.keepDraft(this.stored());
    } : null);
    this.link = new Link<TerrainMessages>({ name: APP, version: APP_VERSION }, {
      welcome: (facts) => {
        this.greet(facts);
      },
      state: (revision, state) => {
        batch(() => {
          this.state.value = state;
          if (state.halted) this.say(state.halted, 'error');
          this.settled.value = this.sync.computed(revision);
        });
      },
      geometry: (frame) => {
        this.onGeometry(frame);
      },
      frame: (frame) => {
        this.speed.value = frame.speed;
        if (frame.positions.has(CLOTH)) this.newest = frame;
        this.onFrame(frame);
      },
      failure: (failure) => {
        this.say(inWords(failure), 'error');
        if (failure.revision === null) return;
        this.sync.refused();
        this.document.cancel();
        this.document.reset(this.sync.accepted ?? this.link.facts.peek()?.gallery[0] ?? EMPTY);
        this.settled.value = this.sync.flush();
      },
    });
    this.sync = new Sync<Landscape, Edit>({
      wanted: () => this.document.value.value,
      difference: (from, to) => {
        const given = this.opening.get(to);
        // A session that is new lays the cloth as it was seen last.
        const drape = given ?? (from === null && this.newest ? this.drape() : null);
        return difference(from, to, given !== undefined, drape);
      },
      files: () => new Map(),
      edit: (revision, edit) => this.link.edit(revision, edit),
      upload: () => false,
    });
    this.disposers.push(
      effect(() => {
        const shown = this.document.value.value;
        if (shown === EMPTY) return;
        this.settled.value = this.sync.flush() && shown === this.document.value.peek();
      }),
      effect(() => {
        // Kept when it has changed, and once more when it has come to rest.
        const document = this.document.value.value;
        const resting = this.state.value?.resting ?? false;
        if (document === EMPTY) return;
        this.draft.changed(resting ? 0 : undefined);
      }),
    );
  }

  close(): void {
    for (const dispose of this.disposers) dispose();
    this.draft.close();
    this.link.close();
  }

  // The document

  get landscape(): Landscape {
    return this.document.value.peek();
  }

  hill(id: number | undefined): Hill | undefined {
    return this.landscape.hills.find((hill) => hill.id === id);
  }

  /** The landscape with how its cloth lies now, by so many vertices along a side at most. */
  stored(most = Infinity): Stored {
    const drape = this.drape(most);
    return drape === null ? this.landscape : { ...this.landscape, drape };
  }

  private drape(most = Infinity): string | null {
    const [positions, box] = [this.newest?.positions.get(CLOTH), this.link.facts.peek()?.box];
    const { side } = this.landscape.settings;
    return positions && box && positions.length === 3 * side * side ? drapeOf(coarser(positions, most), box) : null;
  }

  /** Shows another landscape; its cloth falls, or lies as it was saved. */
  open({ drape, ...landscape }: Stored, undoable = true): void {
    const opened: Landscape = { ...landscape, moment: this.moment++ };
    this.opening.set(opened, drape ?? null);
    batch(() => {
      this.chosen.value = [];
      this.pin.value = null;
      if (undoable) this.document.change('Open', () => opened);
      else this.document.reset(opened);
    });
  }

  change(label: string, how: (landscape: Landscape) => Landscape): void {
    this.begin(label);
    this.adjust(how);
    this.commit();
  }

  begin(label: string): void {
    if (!this.document.isHeld) this.marked = false;
    this.document.begin(label);
  }

  /** One step of a gesture; the first is another moment. */
  adjust(how: (landscape: Landscape) => Landscape): void {
    this.document.adjust((before) => {
      const after = how(before);
      if (this.marked) return after;
      this.marked = true;
      return { ...after, moment: this.moment++ };
    });
  }

  adjustHill(id: number, how: (hill: Hill) => Hill): void {
    this.adjust((landscape) => ({ ...landscape, hills: landscape.hills.map((hill) => (hill.id === id ? this.within(how(hill)) : hill)) }));
  }

  changeSettings(label: string, how: (settings: Settings) => Settings): void {
    this.change(label, (landscape) => ({ ...landscape, settings: how(landscape.settings) }));
  }

  commit(): void {
    this.document.commit();
  }

  cancel(): void {
    this.document.cancel();
  }

  undo(): void {
    this.document.undo();
    this.choose(this.chosen.peek());
  }

  redo(): void {
    this.document.redo();
    this.choose(this.chosen.peek());
  }

  /** A body within what the session takes. */
  within(hill: Hill): Hill {
    const facts = this.link.facts.peek();
    if (!facts) return hill;
    const clamp = (value: number, [low, high]: [number, number]) => Math.min(Math.max(value, low), high);
    const radius = (value: number) => clamp(value, facts.radii);
    const place = (value: number) => clamp(value, [-facts.farthest, facts.farthest]);
    const [a, b, c] = hill.radii;
    return {
      ...hill,
      position: [place(hill.position[0]), place(hill.position[1])],
      radii: [radius(a), radius(b), radius(c)],
      exponents: [clamp(hill.exponents[0], facts.exponents), clamp(hill.exponents[1], facts.exponents)],
      turn: hill.turn % (2 * Math.PI),
    };
  }

  // What is chosen

  choose(ids: number[]): void {
    const known = ids.filter((id) => this.hill(id));
    batch(() => {
      this.chosen.value = known;
      this.pin.value = null;
    });
  }

  chooseMore(id: number): void {
    const { value } = this.chosen;
    this.choose(value.includes(id) ? value.filter((other) => other !== id) : [...value, id]);
  }

  /** A number that no body or clothespin has. */
  freshId(): number {
    const { hills, settings } = this.landscape;
    return Math.max(0, ...hills.map(({ id }) => id), ...settings.pins.map(({ id }) => id)) + 1;
  }

  // The session

  say(text: string, kind: 'info' | 'error' = 'info'): void {
    this.notice.value = { text, kind };
  }

  walk(walking: boolean): void {
    this.document.cancel();
    this.sync.say({ walk: { walking } });
  }

  async exported(format: ExportFormat): Promise<Extract<Reply, { file: unknown }>['file'] | null> {
    try {
      const answer = await this.link.ask({ export: { format } });
      return 'file' in answer ? answer.file : null;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (error.why === 'refused') this.say(error.message, 'error');
      return null;
    }
  }

  /** The landscape as the session holds it, for tests. */
  async serverLandscape(): Promise<Landscape | null> {
    const answer = await this.link.ask({ landscape: {} });
    return 'landscape' in answer ? answer.landscape : null;
  }

  private greet(facts: Facts): void {
    const [first] = facts.gallery;
    if (this.landscape === EMPTY) {
      const start = (this.keep ? this.shelf.readDraft() : null) ?? first;
      if (start) this.open(start, false);
    }
    this.settled.value = this.sync.restart();
  }
}
