// Imports go one way: what a layer may use is listed here, types included.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../src/', import.meta.url).pathname;

/** What each layer may import, itself always. */
const ALLOWED: Record<string, string[]> = {
  base: [],
  ui: ['base'],
  link: ['base'],
  document: ['base'],
  stage: ['base'],
  input: ['base', 'ui', 'link', 'document', 'stage'],
  shapes: ['base', 'ui', 'link', 'document', 'stage', 'input'],
  widgets: ['base', 'ui', 'link', 'document', 'stage', 'input', 'shapes'],
  apps: ['base', 'ui', 'link', 'document', 'stage', 'input', 'shapes', 'widgets'],
  shell: ['base', 'ui', 'link', 'document', 'stage', 'input', 'shapes', 'widgets', 'apps'],
  'main.tsx': ['link', 'shell'],
};
/** Layers that may use three.js. */
const DRAWING = ['stage', 'input', 'shapes', 'widgets', 'apps'];

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : /\.tsx?$/.test(name) ? [path] : [];
  });
}

interface Import {
  from: string;
  to: string;
}

const all = files(ROOT);
const imports: Import[] = all.flatMap((path) => {
  const text = readFileSync(path, 'utf8');
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '');
  return named.map((name) => ({
    from: relative(ROOT, path),
    to: name.startsWith('.') ? relative(ROOT, normalize(join(dirname(path), name))) : name,
  }));
});

const layerOf = (path: string) => path.split('/')[0] ?? '';
const appOf = (path: string) => /^apps\/([^/]+)\//.exec(path)?.[1] ?? null;

describe('the layers of the front end', () => {
  it('are all known', () => {
    expect(all.length).toBeGreaterThan(40);
    expect([...new Set(all.map((path) => layerOf(relative(ROOT, path))))].filter((layer) => !(layer in ALLOWED))).toEqual([]);
  });

  it('import only what is below them', () => {
    const own = imports.filter(({ to }) => layerOf(to) in ALLOWED && !to.endsWith('.css'));
    expect(own.length).toBeGreaterThan(100);
    const wrong = own.filter(({ from, to }) => layerOf(from) !== layerOf(to) && !ALLOWED[layerOf(from)]?.includes(layerOf(to)));
    expect(wrong).toEqual([]);
  });

  it('keep apps apart from each other', () => {
    const wrong = imports.filter(({ from, to }) => appOf(from) !== null && layerOf(to) === 'apps' && appOf(`${to}/`) !== null && to !== 'apps/index' && appOf(`${to}.`) !== appOf(from));
    expect(wrong).toEqual([]);
  });

  it('draw with three.js only where drawing is', () => {
    expect(imports.filter(({ from, to }) => to === 'three' && !DRAWING.includes(layerOf(from)))).toEqual([]);
  });

  it('have no circles', () => {
    const resolve = (to: string) => all.map((path) => relative(ROOT, path)).find((path) => path.replace(/\.tsx?$/, '') === to || path.replace(/\/index\.tsx?$/, '') === to);
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) {
      const found = resolve(to);
      // What is loaded when it is opened comes after all that is loaded at once.
      if (found && from !== 'apps/index.ts') next.set(from, [...(next.get(from) ?? []), found]);
    }
    const circles: string[] = [];
    const state = new Map<string, 'open' | 'done'>();
    const visit = (file: string, way: string[]) => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
        return;
      }
      state.set(file, 'open');
      for (const other of next.get(file) ?? []) visit(other, [...way, file]);
      state.set(file, 'done');
    };
    for (const file of next.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});
