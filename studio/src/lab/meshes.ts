// The files of meshes that this window has opened. A scene names them; a name never changes its content, so that every
// state of the history stays true. They are kept in the browser too, so that a closed window loses nothing.

import type { Scene } from '../protocol/messages';

const DATABASE = 'superegg';
const TABLE = 'meshes';
/** Files that the browser keeps; the oldest go first. */
const KEPT = 24;

/** The files that a scene names. */
export function filesOf(scene: Scene): string[] {
  return [...new Set(scene.bodies.flatMap((body) => (body.file === undefined ? [] : [body.file])))];
}

export class Meshes {
  private readonly files = new Map<string, Uint8Array<ArrayBuffer>>();

  get(name: string): Uint8Array<ArrayBuffer> | undefined {
    return this.files.get(name);
  }

  /** Takes a file; returns the name that a scene uses for it. */
  add(name: string, content: Uint8Array<ArrayBuffer>): string {
    const free = freeName(name, (other) => {
      const known = this.files.get(other);
      return known === undefined || equal(known, content);
    });
    this.files.set(free, content);
    void keep(free, content);
    return free;
  }

  /** Looks for the files of a scene in the browser; returns those that are nowhere. */
  async fetch(scene: Scene): Promise<string[]> {
    const missing: string[] = [];
    for (const name of filesOf(scene)) {
      if (this.files.has(name)) continue;
      const content = await kept(name);
      if (content) this.files.set(name, content);
      else missing.push(name);
    }
    return missing;
  }
}

/** `hand.stl`, `hand-2.stl` and so on: the first that is free. */
export function freeName(name: string, isFree: (name: string) => boolean): string {
  const dot = name.lastIndexOf('.');
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let free = name;
  for (let number = 2; !isFree(free); number++) free = `${stem}-${number}${end}`;
  return free;
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// The browser's database. Where there is none, as in some private windows, files last as long as the window.

interface Row {
  name: string;
  content: Uint8Array<ArrayBuffer>;
  time: number;
}

function database(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open(DATABASE, 1);
      opening.onupgradeneeded = () => {
        opening.result.createObjectStore(TABLE, { keyPath: 'name' }).createIndex('time', 'time');
      };
      opening.onsuccess = () => {
        resolve(opening.result);
      };
      opening.onerror = () => {
        resolve(null);
      };
    } catch {
      resolve(null);
    }
  });
}

async function keep(name: string, content: Uint8Array<ArrayBuffer>): Promise<void> {
  const open = await database();
  if (!open) return;
  const table = open.transaction(TABLE, 'readwrite').objectStore(TABLE);
  table.put({ name, content, time: Date.now() } satisfies Row);
  const counting = table.count();
  counting.onsuccess = () => {
    let spare = counting.result - KEPT;
    if (spare <= 0) return;
    const walking = table.index('time').openCursor();
    walking.onsuccess = () => {
      const cursor = walking.result;
      if (!cursor || spare-- <= 0) return;
      cursor.delete();
      cursor.continue();
    };
  };
}

async function kept(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const open = await database();
  if (!open) return null;
  return new Promise((resolve) => {
    const reading = open.transaction(TABLE).objectStore(TABLE).get(name);
    reading.onsuccess = () => {
      resolve((reading.result as Row | undefined)?.content ?? null);
    };
    reading.onerror = () => {
      resolve(null);
    };
  });
}
