// Undo and redo over immutable states. A gesture is one entry, however many states it passes through.

interface Entry<State> {
  state: State;
  /** What is undone or done again. */
  name: string;
}

export class History<State> {
  private readonly past: Entry<State>[] = [];
  private future: Entry<State>[] = [];

  constructor(private readonly depth = 200) {}

  /** Remembers the state before a change. */
  push(before: State, name = ''): void {
    this.past.push({ state: before, name });
    if (this.past.length > this.depth) this.past.shift();
    this.future = [];
  }

  undo(present: State): State | null {
    const before = this.past.pop();
    if (before === undefined) return null;
    this.future.push({ state: present, name: before.name });
    return before.state;
  }

  redo(present: State): State | null {
    const after = this.future.pop();
    if (after === undefined) return null;
    this.past.push({ state: present, name: after.name });
    return after.state;
  }

  get undoName(): string | null {
    return this.past.at(-1)?.name ?? null;
  }

  get redoName(): string | null {
    return this.future.at(-1)?.name ?? null;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }
}
