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
