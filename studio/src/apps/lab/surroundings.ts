// What Contact Lab hears from the window around it: files, pasted text, the address, and the room that panels leave.

import { effect } from '@preact/signals';

import { unpacked } from '../../document/share';
import { fromFile } from '../../document/storage';
import { MESH_FILES } from '../../document/transfer';
import { isForField } from '../../input/actions';
import type { Stage } from '../../stage/stage';
import { addMesh } from './editing';
import { APP } from './messages';
import { asScene, type Store } from './store';

/** Opens a scene, or adds a mesh to the one that is open. */
export async function openFile(store: Store, file: File): Promise<void> {
  if (MESH_FILES.split(',').some((end) => file.name.toLowerCase().endsWith(end))) {
    await addMesh(store, file);
    return;
  }
  try {
    const opened = fromFile(await file.text());
    if (opened.app !== APP) throw new Error(`this file belongs to the app ${opened.app}`);
    const scene = asScene(opened.document);
    const files = { ...scene.files };
    for (const [name, content] of opened.files) files[name] = store.files.add(content);
    store.open(Object.keys(files).length > 0 ? { ...scene, files } : scene);
  } catch (error) {
    store.say(`${file.name}: ${error instanceof Error ? error.message : 'unreadable'}`, 'error');
  }
}

/** Pixels between panels and what they leave free. */
const GAP = 8;

/** Tells the stage what panels cover; on a phone they lie below it, except for the tools. */
export function yieldToPanels(stage: Stage): () => void {
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  const [main, tools, bodies, dock, shape] = ['.lab-main', '.tools', '.bodies', '.dock', '.panel.shape'].map(find);
  const measure = () => {
    const whole = main?.getBoundingClientRect();
    if (!whole) return;
    const floating = (panel: HTMLElement | null | undefined) => (panel && panel.offsetWidth > 0 && getComputedStyle(panel).position === 'absolute' ? panel.getBoundingClientRect() : null);
    const [right, below] = [floating(shape), floating(dock)];
    // The same whether the panel is full or empty, so that choosing a body does not shift the view.
    const zoom = shape && shape.offsetWidth > 0 ? shape.getBoundingClientRect().width / shape.offsetWidth : 1;
    stage.cover(right && window.innerWidth > 1180 ? 240 * zoom : 0, Math.max((below?.height ?? 0) - 40, 0));
    stage.leaveFree({
      left: (floating(bodies)?.right ?? whole.left - GAP) - whole.left + GAP,
      top: (floating(tools)?.bottom ?? whole.top - GAP) - whole.top + GAP,
      right: right ? whole.right - right.left + GAP : 0,
      bottom: below ? whole.bottom - below.top + GAP : 0,
    });
  };
  const observer = new ResizeObserver(measure);
  for (const panel of [main, tools, bodies, dock, shape]) if (panel) observer.observe(panel);
  measure();
  return () => {
    observer.disconnect();
  };
}

/** Opens the ready scene that the address names, now and whenever it names another. */
export function followAddress(store: Store): () => void {
  let opened = '';
  const follow = () => {
    const wanted = new URLSearchParams(location.hash.split('?')[1] ?? '');
    const shared = wanted.get('share');
    if (shared && store.welcome.peek()) {
      history.replaceState(null, '', location.hash.split('?')[0]);
      unpacked(shared).then((scene) => {
        store.open(asScene(scene));
      }).catch(() => {
        store.say('The link is damaged: it carries no scene.', 'error');
      });
      return;
    }
    const name = wanted.get('scene') ?? '';
    const ready = store.welcome.peek()?.scenes.find((scene) => scene.name === name);
    if (!ready || name === opened) return;
    opened = name;
    store.open(ready);
    // What is worked on is no longer what the address says.
    history.replaceState(null, '', location.hash.split('?')[0]);
  };
  const stop = effect(() => {
    if (store.welcome.value) queueMicrotask(follow);
  });
  window.addEventListener('hashchange', follow);
  return () => {
    stop();
    window.removeEventListener('hashchange', follow);
  };
}

/** Pasted text and dropped files. */
export function listenToWindow(store: Store): () => void {
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (isForField(event) || !text.trim()) return;
    event.preventDefault();
    void store.paste(text).then((refused) => {
      if (refused !== null) store.say(refused, 'error');
    });
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(store, file);
  };
  window.addEventListener('paste', paste);
  window.addEventListener('dragover', over);
  window.addEventListener('drop', drop);
  return () => {
    window.removeEventListener('paste', paste);
    window.removeEventListener('dragover', over);
    window.removeEventListener('drop', drop);
  };
}
