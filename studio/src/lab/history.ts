// Undo and redo over immutable states. A gesture is one entry, however many states it passes through.

export class History<State> {
  private readonly past: State[] = [];
  private future: State[] = [];

  constructor(private readonly depth = 200) {}

  /** Remembers the state before a change. */
  push(before: State): void {
    this.past.push(before);
    if (this.past.length > this.depth) this.past.shift();
    this.future = [];
  }

  undo(present: State): State | null {
    const before = this.past.pop();
    if (before === undefined) return null;
    this.future.push(present);
    return before;
  }

  redo(present: State): State | null {
    const after = this.future.pop();
    if (after === undefined) return null;
    this.past.push(present);
    return after;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }
}
