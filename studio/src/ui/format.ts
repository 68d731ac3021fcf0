// Numbers as people read them.

/** Metres with nine decimals in groups of three, and a proper minus. */
export function metres(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-7 || size >= 1e7)) return minus(value.toExponential(4));
  const [whole, decimals] = value.toFixed(9).split('.');
  const groups = decimals?.match(/.{3}/g)?.join('\u2009') ?? '';
  return minus(`${whole ?? '0'}.${groups}`);
}

/** Metres as people read them: four digits that count, in the unit that fits. */
export function readable(value: number): { number: string; unit: string } {
  if (!Number.isFinite(value)) return { number: '–', unit: 'm' };
  const size = Math.abs(value);
  if (size === 0 || size < 5e-13) return { number: '0', unit: 'm' };
  for (const [factor, unit] of [[1, 'm'], [1e3, 'mm'], [1e6, 'µm'], [1e9, 'nm']] as const) {
    if (size * factor >= 0.1) return { number: minus((value * factor).toLocaleString('en', { maximumSignificantDigits: 4, useGrouping: false })), unit };
  }
  return { number: minus(value.toExponential(3)), unit: 'm' };
}

export function short(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  return minus(size < 1e-3 || size >= 1e5 ? value.toExponential(1) : Number(value.toPrecision(3)).toString());
}

export function duration(nanoseconds: number): string {
  if (nanoseconds < 1000) return `${Math.round(nanoseconds)} ns`;
  if (nanoseconds < 1e6) return `${Number((nanoseconds / 1000).toPrecision(3))} µs`;
  return `${Number((nanoseconds / 1e6).toPrecision(3))} ms`;
}

function minus(text: string): string {
  return text.replaceAll('-', '−');
}
