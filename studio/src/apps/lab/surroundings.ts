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
