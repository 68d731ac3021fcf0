// Whether a picture looks like the one that is kept of it: both reduced four times, so that letters may be set a little
// otherwise, and compared by how different people see their colours (CIE 1976 ΔE). The kept ones are reduced already.
//
// SUPEREGG_PICTURES=renew keeps what is drawn now instead; look at it before it is committed.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

import type { Page } from 'playwright-core';

/** How many times smaller the compared pictures are. */
const REDUCED = 4;
/** A difference of colours that is plainly seen, and the part of a picture that may have it. */
const PLAIN = 6;
const PART = 0.005;

const kept = new URL('./pictures/', import.meta.url).pathname;

interface Compared {
  /** Part of the picture that is plainly different; 1 when the sizes differ. */
  part: number;
  reduced: string;
  difference: string | null;
}

/** Throws when a picture does not look like the one that is kept under its name; `failed` keeps what a person needs to see why. */
export async function compare(page: Page, name: string, png: Buffer, failed: (name: string, content: Buffer) => void): Promise<void> {
  const path = `${kept}${name}.png`;
  const renew = process.env['SUPEREGG_PICTURES'] === 'renew';
  const wanted = existsSync(path) && !renew ? readFileSync(path) : null;
  const { part, reduced, difference } = await page.evaluate(inPage, [png.toString('base64'), wanted?.toString('base64') ?? null, REDUCED, PLAIN] as const);
  const actual = Buffer.from(reduced, 'base64');
  if (renew) {
    mkdirSync(kept, { recursive: true });
    writeFileSync(path, actual);
    return;
  }
  if (wanted && part <= PART) return;
  failed(`${name}-actual.png`, actual);
  if (!wanted) throw new Error(`no picture is kept of ${name}: SUPEREGG_PICTURES=renew keeps one`);
  failed(`${name}-wanted.png`, wanted);
  if (difference) failed(`${name}-difference.png`, Buffer.from(difference, 'base64'));
  throw new Error(`${name} looks different: ${(100 * part).toFixed(2)} % of it, at most ${100 * PART} % may; see the artefacts`);
}

/** Runs in the page, which can read pictures. */
async function inPage([actual, wanted, times, plain]: readonly [string, string | null, number, number]): Promise<Compared> {
  const pixels = async (base64: string) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context?.drawImage(image, 0, 0);
    return context?.getImageData(0, 0, image.width, image.height) ?? new ImageData(1, 1);
  };
  const written = async (data: ImageData) => {
    const canvas = new OffscreenCanvas(data.width, data.height);
    canvas.getContext('2d')?.putImageData(data, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  };
  // Means of squares of pixels.
  const full = await pixels(actual);
  const [width, height] = [Math.floor(full.width / times), Math.floor(full.height / times)];
  const reduced = new ImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let k = 0; k < times * times; k++) {
          sum += full.data[4 * ((y * times + Math.floor(k / times)) * full.width + x * times + (k % times)) + channel] ?? 0;
        }
        reduced.data[4 * (y * width + x) + channel] = sum / (times * times);
      }
    }
  }
  const text = await written(reduced);
  if (wanted === null) return { part: 1, reduced: text, difference: null };
  const other = await pixels(wanted);
  if (other.width !== width || other.height !== height) return { part: 1, reduced: text, difference: null };
  const lab = (data: Uint8ClampedArray, at: number) => {
    const [r = 0, g = 0, b = 0] = [0, 1, 2].map((k) => {
      const part = (data[at + k] ?? 0) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    const bend = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
    const [x, y, z] = [bend((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), bend(0.2126 * r + 0.7152 * g + 0.0722 * b), bend((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)];
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)] as const;
  };
  const shown = new ImageData(width, height);
  let different = 0;
  for (let at = 0; at < 4 * width * height; at += 4) {
    const [a, b] = [lab(reduced.data, at), lab(other.data, at)];
    const isPlain = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) > plain;
    if (isPlain) different += 1;
    shown.data.set(isPlain ? [220, 0, 60, 255] : [(reduced.data[at] ?? 0) / 3 + 160, (reduced.data[at + 1] ?? 0) / 3 + 160, (reduced.data[at + 2] ?? 0) / 3 + 160, 255], at);
  }
  return { part: different / (width * height), reduced: text, difference: await written(shown) };
}
