// The files that documents name, by the hashes of their contents: two files of the same name never overwrite each other. They
// are kept in the browser too, so that a closed window loses nothing.

const DATABASE = 'superegg';
/** Kept by name until version 1 of the database. */
const OLD_TABLE = 'meshes';
const TABLE = 'files';
/** Files that the browser keeps; the oldest go first. */
const KEPT = 24;

export type Content = Uint8Array<ArrayBuffer>;

/** 64 bits of a content, in two lanes that are mixed at the end. Not against forgers: a browser keeps only its own files. */
export function hashOf(content: Uint8Array): string {
  let [a, b] = [0x2545f491 ^ content.length, 0x9e3779b9];
  for (const byte of content) {
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0x85ebca6b) ^ (b >>> 13);
  }
  const mixed = (lane: number) => {
    let word = lane ^ (lane >>> 16);
    word = Math.imul(word, 0x7feb352d);
    word ^= word >>> 15;
    word = Math.imul(word, 0x846ca68b);
    return ((word ^ (word >>> 16)) >>> 0).toString(16).padStart(8, '0');
  };
  return mixed(a ^ (b << 1)) + mixed(b);
}

export class Files {
  private readonly contents = new Map<string, Content>();

  get(hash: string): Content | undefined {
    return this.contents.get(hash);
  }

  /** Takes a file; returns its hash. */
  add(content: Content): string {
    const hash = hashOf(content);
    this.contents.set(hash, content);
    void keep(hash, content);
    return hash;
  }

  /** Looks for files in the browser; returns the names of those that are nowhere, and the hashes of those that had none. */
  async fetch(wanted: Map<string, string | null>): Promise<{ missing: string[]; found: Map<string, string> }> {
    const missing: string[] = [];
    const found = new Map<string, string>();
    for (const [name, hash] of wanted) {
      if (hash !== null && this.contents.has(hash)) continue;
      // A draft from before hashes names its files only.
      const content = hash === null ? await kept(OLD_TABLE, name) : await kept(TABLE, hash);
      if (content) found.set(name, this.add(content));
      else missing.push(name);
    }
    return { missing, found };
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

export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

export function fromBase64(text: string): Content {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// The browser's database. Where there is none, as in some private windows, files last as long as the window.

interface Row {
  hash: string;
  content: Content;
  time: number;
}

function database(): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open(DATABASE, 2);
      opening.onupgradeneeded = () => {
        const { result } = opening;
        if (!result.objectStoreNames.contains(TABLE)) result.createObjectStore(TABLE, { keyPath: 'hash' }).createIndex('time', 'time');
      };
      opening.onsuccess = () => {
        // A newer page may want to change the database.
        opening.result.onversionchange = () => {
          opening.result.close();
        };
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

/** Files that are being kept. */
let keeping = 0;

/** Whether every file is kept. */
export function isKept(): boolean {
  return keeping === 0;
}

async function keep(hash: string, content: Content): Promise<void> {
  keeping += 1;
  try {
    const open = await database();
    if (!open) return;
    await new Promise<void>((resolve) => {
      const writing = open.transaction(TABLE, 'readwrite');
      writing.oncomplete = () => {
        resolve();
      };
      writing.onabort = () => {
        resolve();
      };
      const table = writing.objectStore(TABLE);
      table.put({ hash, content, time: Date.now() } satisfies Row);
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
    });
    open.close();
  } finally {
    keeping -= 1;
  }
}

async function kept(table: string, key: string): Promise<Content | null> {
  const open = await database();
  if (!open?.objectStoreNames.contains(table)) return null;
  return new Promise((resolve) => {
    const reading = open.transaction(table).objectStore(table).get(key);
    reading.onsuccess = () => {
      resolve((reading.result as Row | undefined)?.content ?? null);
      open.close();
    };
    reading.onerror = () => {
      resolve(null);
      open.close();
    };
  });
}
