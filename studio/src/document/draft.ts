// What is being worked on, kept in this browser a moment after it changed, and at once when its page is put away or closed: a closed window
// loses nothing.

import { signal } from '@preact/signals';

/** Milliseconds from a change until it is kept. */
const DELAY = 400;

export class Draft {
  /** What is edited is kept. */
  readonly kept = signal(true);
  private timer: number | undefined;
  /** Something was there to be kept. */
  private begun = false;
  private readonly away = (): void => {
    if (!this.kept.peek()) this.keep();
  };

  /** By what writes it, or null to keep nothing. */
  constructor(private readonly write: (() => void) | null) {
    window.addEventListener('pagehide', this.away);
  }

  /** It has changed, and is to be kept after a while. */
  changed(delay = DELAY): void {
    if (!this.write) return;
    this.begun = true;
    this.kept.value = false;
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.keep();
    }, delay);
  }

  /** Keeps it as it is last. */
  close(): void {
    window.removeEventListener('pagehide', this.away);
    window.clearTimeout(this.timer);
    if (this.begun) this.keep();
  }

  private keep(): void {
    window.clearTimeout(this.timer);
    this.write?.();
    this.kept.value = true;
  }
}
