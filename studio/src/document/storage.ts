// Documents in files and in this browser, for every app alike.

import { fromBase64, toBase64, type Content } from './files';

const FORMAT = 'superegg-document';
const VERSION = 2;
/** Scenes of Contact Lab, before there were other apps. */
const OLD_FORMAT = 'superegg-scene';
const OLD_APP = 'contact-lab';
const OLD_DRAFT = 'superegg.draft';
const OLD_SHELF = 'superegg.shelf';

/** What a file holds; what is inside a document is checked by its session. */
export interface Opened {
  app: string;
  document: unknown;
  /** By name. */
  files: Map<string, Content>;
}

/** A document as the text of a file, with the files that it names in it. */
export function toFile(app: string, document: unknown, files: ReadonlyMap<string, Uint8Array> = new Map()): string {
  const contents = Object.fromEntries([...files].map(([name, content]) => [name, toBase64(content)]));
  return `${JSON.stringify({ format: FORMAT, version: VERSION, app, document, ...(files.size > 0 ? { files: contents } : {}) }, null, 2)}\n`;
}

export function fromFile(text: string): Opened {
  const found: unknown = JSON.parse(text);
  if (!isRecord(found)) throw new Error('this is not a scene of Superegg Studio');
  const old = found['format'] === OLD_FORMAT;
  if (!old && found['format'] !== FORMAT) throw new Error('this is not a scene of Superegg Studio');
  const known = old ? 1 : VERSION;
  if (found['version'] !== known) throw new Error(`the file has version ${String(found['version'])}; known is ${known}`);
  const app = old ? OLD_APP : found['app'];
  const contents = found[old ? 'meshes' : 'files'];
  const files = new Map<string, Content>();
  for (const [name, content] of Object.entries(isRecord(contents) ? contents : {})) {
    if (typeof content !== 'string') throw new Error(`the file ${name} in it is damaged`);
    files.set(name, fromBase64(content));
  }
  const document = found[old ? 'scene' : 'document'];
  if (typeof app !== 'string' || !isRecord(document)) throw new Error('the scene is damaged');
  return { app, document, files };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What this browser keeps for one app. */
export class Shelf<D extends { name: string }> {
  constructor(
    private readonly app: string,
    /** The document in what was kept; throws when it is damaged. */
    private readonly sound: (value: unknown) => D,
  ) {}

  /** Keeps what is being worked on, so that a closed window loses nothing. */
  keepDraft(document: D): void {
    write(`superegg.${this.app}.draft`, toFile(this.app, document));
  }

  readDraft(): D | null {
    const text = read(`superegg.${this.app}.draft`) ?? (this.app === OLD_APP ? read(OLD_DRAFT) : null);
    if (!text) return null;
    try {
      return this.sound(fromFile(text).document);
    } catch {
      return null;
    }
  }

  /** What was put on the shelf, the newest first. */
  all(): D[] {
    const text = read(`superegg.${this.app}.shelf`) ?? (this.app === OLD_APP ? read(OLD_SHELF) : null);
    if (!text) return [];
    try {
      const documents: unknown = JSON.parse(text);
      return Array.isArray(documents) ? documents.map(this.sound) : [];
    } catch {
      return [];
    }
  }

  /** False when the browser keeps nothing: private windows, full storage. */
  put(document: D): boolean {
    return this.write([document, ...this.all().filter((other) => other.name !== document.name)]);
  }

  remove(name: string): void {
    this.write(this.all().filter((document) => document.name !== name));
  }

  private write(documents: D[]): boolean {
    return write(`superegg.${this.app}.shelf`, JSON.stringify(documents));
  }
}

function write(key: string, text: string): boolean {
  try {
    window.localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}
