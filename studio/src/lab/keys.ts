// The keys of Contact Lab, in one table: what the help shows is what happens.

import { Vector3 } from 'three';

import type { Body } from '../protocol/messages';
import { turned } from '../view/drag';
import type { Stage } from '../view/stage';
import { duplicate, removeBody } from './editing';
import type { Store } from './store';

export interface Shortcut {
  /** For people. */
  keys: string;
  does: string;
  matches: (event: KeyboardEvent) => boolean;
  run: (event: KeyboardEvent) => void;
}

/** What the page around the stage can do. */
export interface Actions {
  save: () => void;
  open: () => void;
  copy: () => void;
  help: () => void;
}

const plain = (event: KeyboardEvent) => !event.ctrlKey && !event.metaKey && !event.altKey;
const command = (event: KeyboardEvent) => (event.ctrlKey || event.metaKey) && !event.altKey;
const is = (key: string) => (event: KeyboardEvent) => plain(event) && event.key.toLowerCase() === key;
const withCommand = (key: string, shift = false) => (event: KeyboardEvent) =>
  command(event) && event.shiftKey === shift && event.key.toLowerCase() === key;

const STEP = 0.05;
const ANGLE = Math.PI / 36;

export function shortcuts(store: Store, stage: () => Stage | null, actions: Actions): Shortcut[] {
  const onBody = (how: (body: Body) => Body) => {
    const body = store.selected.peek();
    if (body) store.changeBody(body.id, how);
  };
  const shift = (x: number, y: number, z: number) => {
    onBody((body) => ({ ...body, position: [body.position[0] + x, body.position[1] + y, body.position[2] + z] }));
  };
  const along = (event: KeyboardEvent) => {
    const view = stage();
    if (!view) return;
    const size = event.shiftKey ? STEP / 10 : STEP;
    const { right, up } = view.viewAxes();
    const moves: Record<string, Vector3> = { ArrowRight: right, ArrowLeft: right.clone().negate(), ArrowUp: up, ArrowDown: up.clone().negate() };
    const move = moves[event.key]?.multiplyScalar(size);
    if (move) shift(move.x, move.y, move.z);
  };
  const roll = (sign: number) => {
    const axis = stage()?.viewDirection();
    if (axis) onBody((body) => ({ ...body, orientation: turned(body.orientation, axis, sign * ANGLE) }));
  };
  const next = (by: number) => {
    const { bodies } = store.scene.peek();
    const at = bodies.findIndex((body) => body.id === store.selection.peek());
    store.selection.value = bodies[(at + by + bodies.length) % bodies.length]?.id ?? null;
  };
  return [
    { keys: '1 2 3', does: 'Move, turn, shape', matches: (event) => plain(event) && '123'.includes(event.key), run: (event) => {
      store.tool.value = event.key === '1' ? 'move' : event.key === '2' ? 'turn' : 'shape';
    } },
    { keys: 'N', does: 'Next body (Shift: previous)', matches: is('n'), run: (event) => {
      next(event.shiftKey ? -1 : 1);
    } },
    { keys: 'Arrows', does: 'Shift the body (Shift: finely)', matches: (event) => plain(event) && event.key.startsWith('Arrow') && store.selected.peek() !== null, run: along },
    { keys: '[ ]', does: 'Turn the body', matches: (event) => plain(event) && (event.key === '[' || event.key === ']'), run: (event) => {
      roll(event.key === '[' ? -1 : 1);
    } },
    { keys: 'Space', does: 'Play or pause', matches: is(' '), run: () => {
      store.playing.value = !store.playing.peek();
    } },
    { keys: 'C', does: 'Go to the next contact of the motion', matches: is('c'), run: () => {
      store.nextImpact();
    } },
    { keys: ', .', does: 'Step through a trace', matches: (event) => plain(event) && (event.key === ',' || event.key === '.'), run: (event) => {
      const last = (store.trace.peek()?.steps.length ?? 1) - 1;
      store.step.value = Math.min(Math.max(store.step.peek() + (event.key === ',' ? -1 : 1), 0), last);
    } },
    { keys: 'F', does: 'Look at the body, or at everything', matches: is('f'), run: () => {
      stage()?.frame(store.selection.peek());
    } },
    { keys: 'Delete', does: 'Remove the body', matches: (event) => plain(event) && (event.key === 'Delete' || event.key === 'Backspace'), run: () => {
      const id = store.selection.peek();
      if (id !== null) removeBody(store, id);
    } },
    { keys: 'Esc', does: 'Let go of the body', matches: is('escape'), run: () => {
      store.selection.value = null;
    } },
    { keys: 'Ctrl D', does: 'Duplicate the body', matches: withCommand('d'), run: () => {
      const id = store.selection.peek();
      if (id !== null) duplicate(store, id);
    } },
    { keys: 'Ctrl Z', does: 'Undo', matches: withCommand('z'), run: () => {
      store.undo();
    } },
    { keys: 'Ctrl Shift Z', does: 'Redo (or Ctrl Y)', matches: (event) => withCommand('z', true)(event) || withCommand('y')(event), run: () => {
      store.redo();
    } },
    { keys: 'Ctrl S', does: 'Save as a file', matches: withCommand('s'), run: actions.save },
    { keys: 'Ctrl O', does: 'Open a scene or a mesh', matches: withCommand('o'), run: actions.open },
    { keys: 'Ctrl C', does: 'Copy as lines of superegg query', matches: (event) => withCommand('c')(event) && (window.getSelection()?.isCollapsed ?? true), run: actions.copy },
    { keys: 'Ctrl V', does: 'Paste such lines', matches: () => false, run: () => undefined },
    { keys: '?', does: 'This help', matches: (event) => event.key === '?', run: actions.help },
  ];
}

/** Whether a key is meant for a field that has the focus. */
export function isForField(event: Event): boolean {
  const target = event.target as HTMLElement | null;
  return target instanceof HTMLElement && (target.matches('input, select, textarea') || target.isContentEditable);
}
