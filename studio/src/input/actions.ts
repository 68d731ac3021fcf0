// One registry of what can be done: label, icon, keys and gesture of each. Menus, help and shortcuts are made from it, so that
// what the help shows is what happens.

import type { IconName } from '../ui/icons';

export interface Action {
  id: string;
  label: string;
  icon?: IconName;
  /** As `Ctrl+Shift+Z`, `Arrows` or `?`; the first is shown. Ctrl is Cmd on a Mac. */
  keys?: string[];
  /** What fingers or a mouse do for it. */
  gesture?: string;
  /** Menus that offer it. */
  menus?: string[];
  enabled?: () => boolean;
  /** Whether it is on, for what can be on and off. */
  checked?: () => boolean;
  /** A gesture alone has nothing to run. */
  run?: (event?: KeyboardEvent) => void;
}

/** Whether a key is what an action is bound to. */
export function matches(keys: string, event: KeyboardEvent): boolean {
  const parts = keys.split('+').map((part) => part.toLowerCase());
  const wanted = keys.endsWith('+') ? '+' : (parts.at(-1) ?? '');
  const has = (modifier: string) => parts.slice(0, -1).includes(modifier);
  if ((event.ctrlKey || event.metaKey) !== has('ctrl') || event.altKey !== has('alt')) return false;
  const key = event.key.toLowerCase();
  if (wanted === 'arrows') return key.startsWith('arrow');
  if (wanted === 'space') return key === ' ';
  // With Ctrl, Shift tells undo from redo; without, it is a finer step or another letter of the same key.
  if (has('ctrl') && event.shiftKey !== has('shift')) return false;
  return key === wanted;
}

/** Keys as people read them. */
export function shownKeys(keys: string): string {
  return keys.split('+').map((part) => (part.length === 1 ? part.toUpperCase() : part)).join(' ');
}

/** Whether a key is meant for a field that has the focus. */
export function isForField(event: Event): boolean {
  const target = event.target as HTMLElement | null;
  return target instanceof HTMLElement && (target.matches('input, select, textarea') || target.isContentEditable);
}

/** Runs the action of a key that is pressed, unless a field or a dialog wants it. */
export function bindKeys(actions: () => Action[]): () => void {
  const press = (event: KeyboardEvent) => {
    if (isForField(event) || document.querySelector('dialog[open]')) return;
    const action = actions().find((other) => other.run && (other.enabled?.() ?? true) && other.keys?.some((keys) => matches(keys, event)));
    if (!action?.run) return;
    event.preventDefault();
    action.run(event);
  };
  window.addEventListener('keydown', press);
  return () => {
    window.removeEventListener('keydown', press);
  };
}
