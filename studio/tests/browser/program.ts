// The program and a browser for the tests. `cargo xtask test browser` says where both are.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';

import { compare } from './likeness';

const program = required('SUPEREGG_PROGRAM');
const executablePath = required('CHROMIUM');
const artefacts = new URL('./artefacts/', import.meta.url).pathname;

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run cargo xtask test browser`);
  return value;
}

export class Studio {
  private constructor(private readonly child: ChildProcess, readonly link: string) {}

  static async start(port = '0', options: string[] = [], from = program): Promise<Studio> {
    const child = spawn(from, ['studio', '--port', port, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      const link = /^Superegg Studio: (\S+)$/.exec(line)?.[1];
      if (link) return new Studio(child, link);
    }
    throw new Error('the studio printed no address');
  }

  get port(): string {
    return new URL(this.link).port;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** What `superegg query` answers to some lines. */
export async function query(lines: string): Promise<{ distance: number; status: string }[]> {
  const child = spawn(program, ['query'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(lines);
  const answers: { distance: number; status: string }[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line) as (typeof answers)[0]);
  return answers;
}

/** Keeps a text among the artefacts. */
export function keep(name: string, text: string): void {
  writeFileSync(`${artefacts}${name}`, text);
}

/** Drawn by the processor, so that it works on machines without a graphics card. */
const SOFTWARE = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

/** A browser, by default one that can draw in three dimensions. */
export function launch(drawing = SOFTWARE): Promise<Browser> {
  mkdirSync(artefacts, { recursive: true });
  const args = [
    '--no-sandbox', ...drawing, '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--no-first-run',
    // Pages that a test hands to the browser belong to no address, from which this machine could not be reached otherwise.
    ...(process.env['SUPEREGG_PAGES'] ? ['--disable-features=LocalNetworkAccessChecks'] : []),
  ];
  return chromium.launch({ executablePath, args });
}

/** A studio and a browser for the tests of a file: there before the first, gone after the last. */
export class Workshop {
  studio!: Studio;
  browser!: Browser;

  constructor() {
    beforeAll(async () => {
      this.studio = await Studio.start();
      this.browser = await launch();
    });
    afterAll(async () => {
      await this.browser.close();
      await this.studio.stop();
    });
  }

  /** A window at an address of the studio. */
  open(path: string, options: BrowserContextOptions): Promise<Window> {
    return Window.open(this.browser, `${this.studio.link}${path}`, options);
  }

  /** Contact Lab, when it has drawn its scene. */
  async openLab(options: BrowserContextOptions): Promise<Window> {
    const lab = await this.open('#/contact-lab', options);
    await lab.page.waitForFunction(() => (window.superegg?.stage?.frames ?? 0) > 1);
    await lab.settled();
    return lab;
  }
}

/** Pages from a folder instead of the program's own, so that a change of the front end is tested without building the program. */
async function servePages(context: BrowserContext, folder: string): Promise<void> {
  await context.route(/^http:\/\/[^/]+\/(?!socket)/, async (route) => {
    const path = new URL(route.request().url()).pathname;
    await route.fulfill({ path: `${folder}${path === '/' ? '/index.html' : path}` });
  });
}

/** A page whose errors and warnings are remembered; what was drawn is kept as a picture. */
export class Window {
  readonly complaints: string[] = [];

  private constructor(readonly page: Page) {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
  }

  static async open(browser: Browser, link: string, options: BrowserContextOptions, pages = process.env['SUPEREGG_PAGES']): Promise<Window> {
    // Without motion the start page draws once instead of all the time.
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    // Plain http on another address than loopback has no clipboard to grant.
    if (new URL(link).hostname === '127.0.0.1') await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    if (pages) await servePages(context, pages);
    // Drawing without a graphics card on a busy machine takes its time.
    context.setDefaultTimeout(120_000);
    const window = new Window(await context.newPage());
    await window.page.goto(link, { waitUntil: 'commit' });
    return window;
  }

  /** Keeps a picture of the window and returns how many colours are in it. */
  async picture(name: string): Promise<number> {
    const png = await this.page.screenshot({ path: `${artefacts}${name}.png` });
    return this.page.evaluate(async (data) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))]));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const bytes = context?.getImageData(0, 0, image.width, image.height).data ?? [];
      const colours = new Set<number>();
      for (let k = 0; k < bytes.length; k += 4) colours.add(((bytes[k] ?? 0) >> 3 << 10) | ((bytes[k + 1] ?? 0) >> 3 << 5) | (bytes[k + 2] ?? 0) >> 3);
      return colours.size;
    }, png.toString('base64'));
  }

  /** The window looks like the picture that is kept of it, except for what `changes` from run to run. */
  async looksLike(name: string, changes: string[] = []): Promise<void> {
    await this.page.evaluate(() => document.fonts.ready);
    const mask = changes.map((selector) => this.page.locator(selector));
    const png = await this.page.screenshot({ path: `${artefacts}${name}.png`, mask, maskColor: '#808080', animations: 'disabled' });
    await compare(this.page, name, png, (file, content) => {
      writeFileSync(`${artefacts}${file}`, content);
    });
  }

  /** Opens a ready scene of Contact Lab by its name. */
  async ready(name: string): Promise<void> {
    await this.page.evaluate((wanted) => {
      const store = window.superegg?.store;
      const found = store?.welcome.value?.scenes.find((other) => other.name === wanted);
      if (store && found) store.open(found);
    }, name);
    await this.settled();
  }

  /** Waits until what is shown was computed from what is edited. */
  async settled(): Promise<void> {
    await this.page.waitForFunction(() => window.superegg?.store.settled.value === true);
  }

  /** Waits until all is computed, drawn and kept in the browser, and no hand holds anything. */
  async idle(): Promise<void> {
    await this.page.waitForFunction(() => window.superegg?.idle() === true);
  }

  /** The document and the server's world are the same. */
  async equalsServer(): Promise<void> {
    await this.settled();
    const [ours, theirs] = await this.page.evaluate(async () => {
      const store = window.superegg?.store;
      // As text and back: JSON has no negative zero.
      return [JSON.parse(JSON.stringify(store?.scene.value)) as unknown, await store?.serverScene()];
    });
    expect(theirs).toEqual(ours);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
