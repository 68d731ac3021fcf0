// Scenes in files and in this browser.

import type { Scene } from '../protocol/messages';
import { filesOf, fromBase64, toBase64, type Meshes } from './meshes';

const FORMAT = 'superegg-scene';
const VERSION = 1;
const DRAFT = 'superegg.draft';
const SHELF = 'superegg.shelf';

/** A scene as the text of a file, with the files of its meshes in it. */
export function toFile(scene: Scene, meshes?: Meshes): string {
  const files = meshes ? filesOf(scene) : [];
  const contents = Object.fromEntries(files.map((name) => [name, toBase64(meshes?.get(name) ?? new Uint8Array())]));
  return `${JSON.stringify({ format: FORMAT, version: VERSION, scene, ...(files.length > 0 ? { meshes: contents } : {}) }, null, 2)}\n`;
}

/** The scene in a file's text, and the files of its meshes; what is inside is checked by the server. */
export function fromFile(text: string): { scene: Scene; meshes: Map<string, Uint8Array<ArrayBuffer>> } {
  const found: unknown = JSON.parse(text);
  if (!isRecord(found) || found['format'] !== FORMAT) throw new Error('this is not a scene of Superegg Studio');
  if (found['version'] !== VERSION) throw new Error(`the file has version ${String(found['version'])}; known is ${VERSION}`);
  const meshes = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [name, content] of Object.entries(isRecord(found['meshes']) ? found['meshes'] : {})) {
    if (typeof content !== 'string') throw new Error(`the mesh ${name} is damaged`);
    meshes.set(name, fromBase64(content));
  }
  return { scene: asScene(found['scene']), meshes };
}

function asScene(value: unknown): Scene {
  const sound = isRecord(value) && Array.isArray(value['bodies']) && typeof value['name'] === 'string' && isRecord(value['solver']);
  if (!sound) throw new Error('the scene is damaged');
  return value as unknown as Scene;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Keeps what is being worked on, so that a closed window loses nothing. */
export function keepDraft(scene: Scene): void {
  write(DRAFT, toFile(scene));
}

export function readDraft(): Scene | null {
  return readScene(localStorageOrNull()?.getItem(DRAFT) ?? null);
}

/** The scenes kept in this browser, by name. */
export function shelf(): Scene[] {
  const text = localStorageOrNull()?.getItem(SHELF);
  if (!text) return [];
  try {
    const scenes: unknown = JSON.parse(text);
    return Array.isArray(scenes) ? scenes.map(asScene) : [];
  } catch {
    return [];
  }
}

export function keepOnShelf(scene: Scene): boolean {
  return write(SHELF, JSON.stringify([scene, ...shelf().filter((other) => other.name !== scene.name)]));
}

export function takeFromShelf(name: string): void {
  write(SHELF, JSON.stringify(shelf().filter((scene) => scene.name !== name)));
}

function readScene(text: string | null): Scene | null {
  if (!text) return null;
  try {
    return fromFile(text).scene;
  } catch {
    return null;
  }
}

/** False when the browser keeps nothing: private windows, full storage. */
function write(key: string, text: string): boolean {
  try {
    localStorageOrNull()?.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function localStorageOrNull(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

/** Offers a text as a file. */
export function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export const MESH_FILES = '.obj,.stl,.ply';
export const SCENE_FILES = '.json,application/json';

/** Lets the user choose a file; null when none was chosen. */
export function pickFile(accept: string): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = accept;
    input.hidden = true;
    const chosen = () => {
      input.remove();
      resolve(input.files?.[0] ?? null);
    };
    input.onchange = chosen;
    input.oncancel = chosen;
    // In the document: an element that nothing holds may be collected while its dialog is open, and the choice with it.
    document.body.append(input);
    input.click();
  });
}
