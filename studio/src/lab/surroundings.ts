// What Contact Lab hears from the window around it: files, keys, pasted text, the address, and the room that panels leave.

import { effect } from '@preact/signals';

import type { Stage } from '../view/stage';
import { addMesh } from './editing';
import { isForField, shortcuts, type Actions } from './keys';
import { fromFile, MESH_FILES } from './storage';
import type { Store } from './store';

/** Opens a scene, or adds a mesh to the one that is open. */
export async function openFile(store: Store, file: File): Promise<void> {
  if (MESH_FILES.split(',').some((end) => file.name.toLowerCase().endsWith(end))) {
    await addMesh(store, file);
    return;
  }
  try {
    const { scene, meshes } = fromFile(await file.text());
    const names = new Map([...meshes].map(([name, content]) => [name, store.meshes.add(name, content)]));
    const bodies = scene.bodies.map((body) => (body.file === undefined ? body : { ...body, file: names.get(body.file) ?? body.file }));
    store.open({ ...scene, bodies });
  } catch (error) {
    store.say(`${file.name}: ${error instanceof Error ? error.message : 'unreadable'}`, 'error');
  }
}

/** Tells the stage what the dock and the shape panel cover; on a phone they cover nothing. */
export function yieldToPanels(stage: Stage): () => void {
  const [dock, shape] = [document.querySelector('.dock'), document.querySelector('.panel.shape')];
  const measure = () => {
    const floats = (panel: Element | null) => panel !== null && getComputedStyle(panel).position === 'absolute';
    const box = (panel: Element | null) => panel?.getBoundingClientRect() ?? { width: 0, height: 0 };
    const bottom = floats(dock) ? box(dock).height - 40 : 0;
    // The same whether the panel is full or empty, so that choosing a body does not shift the view.
    const zoom = shape instanceof HTMLElement && shape.offsetWidth > 0 ? box(shape).width / shape.offsetWidth : 1;
    stage.cover(floats(shape) && window.innerWidth > 1180 ? 240 * zoom : 0, Math.max(bottom, 0));
  };
  const observer = new ResizeObserver(measure);
  for (const panel of [dock, shape]) if (panel) observer.observe(panel);
  measure();
  return () => {
    observer.disconnect();
  };
}

/** Opens the ready scene that the address names, now and whenever it names another. */
export function followAddress(store: Store): () => void {
  let opened = '';
  const follow = () => {
    const name = new URLSearchParams(location.hash.split('?')[1] ?? '').get('scene') ?? '';
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

/** Keys, pasted text and dropped files. */
export function listenToWindow(store: Store, stage: () => Stage | null, actions: Actions): () => void {
  const table = shortcuts(store, stage, actions);
  const key = (event: KeyboardEvent) => {
    if (isForField(event) || document.querySelector('dialog[open]')) return;
    const shortcut = table.find((entry) => entry.matches(event));
    if (!shortcut) return;
    event.preventDefault();
    shortcut.run(event);
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text') ?? '';
    if (isForField(event) || !text.trim()) return;
    event.preventDefault();
    void store.paste(text);
  };
  const over = (event: DragEvent) => {
    event.preventDefault();
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(store, file);
  };
  window.addEventListener('keydown', key);
  window.addEventListener('paste', paste);
  window.addEventListener('dragover', over);
  window.addEventListener('drop', drop);
  return () => {
    window.removeEventListener('keydown', key);
    window.removeEventListener('paste', paste);
    window.removeEventListener('dragover', over);
    window.removeEventListener('drop', drop);
  };
}
