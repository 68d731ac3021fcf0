// A document that can be undone. Documents are immutable; every change goes through `change` or, during a gesture, through
// `adjust` between `begin` and `commit` or `cancel`. Several hands may be at it at once: their edits are one step, which ends
// with the last hand.

import { signal, type ReadonlySignal } from '@preact/signals';

import { History } from './history';

export interface Names {
  undo: string | null;
  redo: string | null;
}

export class Document<D> {
  private readonly present;
  private readonly known = signal<Names>({ undo: null, redo: null });
  private readonly history = new History<D>();
  private before: D | null = null;
  private label = '';
  private hands = 0;
  /** The gesture was taken back while a hand still holds it. */
  private dead = false;

  constructor(readonly empty: D, private readonly changed: () => void) {
    this.present = signal(empty);
  }

  get value(): ReadonlySignal<D> {
    return this.present;
  }

  /** What the next undo and redo would take back and bring back. */
  get names(): ReadonlySignal<Names> {
    return this.known;
  }

  /** Whether a hand is at it. */
  get isHeld(): boolean {
    return this.before !== null;
  }

  /** Replaces the document without a step that can be undone: what was kept, or what the session refused. */
  reset(document: D): void {
    this.present.value = document;
  }

  /** Changes the document in one step that can be undone. */
  change(label: string, how: (document: D) => D): void {
    this.begin(label);
    this.adjust(how);
    this.commit();
  }

  /** Starts a gesture: everything until its last `commit` is undone at once. */
  begin(label: string): void {
    if (this.before === null) {
      this.before = this.present.peek();
      this.label = label;
      this.hands = 0;
      this.dead = false;
    }
    this.hands += 1;
  }

  adjust(how: (document: D) => D): void {
    if (!this.dead) this.present.value = how(this.present.peek());
  }

  commit(): void {
    this.hands = Math.max(this.hands - 1, 0);
    if (this.hands > 0) return;
    const { before } = this;
    this.before = null;
    this.dead = false;
    if (before !== null && before !== this.present.peek()) {
      this.history.push(before, this.label);
      this.note();
    }
  }

  /** Takes back what the gesture did; what its hands do from here on is nothing. */
  cancel(): boolean {
    const { before } = this;
    if (before === null) return false;
    const undone = before !== this.present.peek();
    this.present.value = before;
    this.before = null;
    this.dead = true;
    this.hands = 0;
    if (undone) this.changed();
    return undone;
  }

  /** During a gesture takes back the gesture, else the last step. */
  undo(): void {
    if (this.isHeld) {
      this.cancel();
      return;
    }
    this.restore(this.history.undo(this.present.peek()));
  }

  redo(): void {
    if (this.isHeld) this.cancel();
    this.restore(this.history.redo(this.present.peek()));
  }

  private restore(document: D | null): void {
    if (document === null) return;
    this.dead = false;
    this.present.value = document;
    this.note();
  }

  private note(): void {
    this.known.value = { undo: this.history.undoName, redo: this.history.redoName };
    this.changed();
  }
}
