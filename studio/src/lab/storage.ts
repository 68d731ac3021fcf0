// Scenes in files and in this browser.

import type { Scene } from '../protocol/messages';

const FORMAT = 'superegg-scene';
const VERSION = 1;
const DRAFT = 'superegg.draft';
const SHELF = 'superegg.shelf';

/** A scene as the text of a file. */
export function toFile(scene: Scene): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, scene }, null, 2)}\n`;
}

/** The scene in a file's text; what is inside it is checked by the server. */
export function fromFile(text: string): Scene {
  const found: unknown = JSON.parse(text);
  if (!isRecord(found) || found['format'] !== FORMAT) throw new Error('this is not a scene of Superegg Studio');
  if (found['version'] !== VERSION) throw new Error(`the file has version ${String(found['version'])}; known is ${VERSION}`);
  return asScene(found['scene']);
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
    return fromFile(text);
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

/** Lets the user choose a file; null when none was chosen. */
export function pickFile(): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.json,application/json';
    input.onchange = () => {
      resolve(input.files?.[0] ?? null);
    };
    input.oncancel = () => {
      resolve(null);
    };
    input.click();
  });
}
