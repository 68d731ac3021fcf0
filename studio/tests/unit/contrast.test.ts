// Text can be read in both themes: the contrast of WCAG 2.2, level AA, computed from the style sheet's own colours.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const style = readFileSync(new URL('../../src/ui/tokens.css', import.meta.url), 'utf8');

function colours(selector: string): Map<string, string> {
  const block = style.slice(style.indexOf(`${selector} {`)).split('}')[0] ?? '';
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name ?? '', value ?? '']));
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const light = colours(':root');
const themes = { light, dark: new Map([...light, ...colours(":root[data-theme='dark']")]) };

describe.each(Object.entries(themes))('the %s theme', (_name, theme) => {
  const ratio = (a: string, b: string) => contrast(theme.get(a) ?? '', theme.get(b) ?? '');

  it('has text of at least 4.5 to 1', () => {
    for (const text of ['ink', 'soft', 'good', 'deep']) {
      for (const ground of ['ground', 'ground-far', 'card-solid']) expect(ratio(text, ground), `${text} on ${ground}`).toBeGreaterThan(4.5);
    }
    expect(ratio('on-yolk', 'yolk-fill')).toBeGreaterThan(4.5);
    expect(ratio('on-deep', 'deep')).toBeGreaterThan(4.5);
    expect(ratio('ground', 'ink')).toBeGreaterThan(4.5);
  });

  it('has lines that mean something of at least 3 to 1', () => {
    for (const ground of ['ground', 'card-solid']) expect(ratio('yolk', ground), ground).toBeGreaterThan(3);
  });
});

it('knows black and white', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
});
