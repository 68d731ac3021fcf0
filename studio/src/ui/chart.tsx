// A small chart of one or two curves over a common axis.

import './chart.css';

import type { JSX, TargetedPointerEvent } from 'preact';
import { useMemo } from 'preact/hooks';

export interface ChartCurve {
  name: string;
  values: (number | null)[];
  log: boolean;
  /** Draws zero, and what lies below it in red. */
  signed?: boolean;
  /** A thin line in the background, with an axis of its own. */
  second?: boolean;
  format: (value: number) => string;
}

interface ChartProps {
  label: string;
  x: number[];
  curves: ChartCurve[];
  cursor: number;
  keys?: number[];
  /** Moments to be seen: marked on the line of zero, or at the bottom. */
  marks?: number[];
  onSeek?: (x: number) => void;
  onSeekEnd?: () => void;
}

const WIDTH = 600;
const HEIGHT = 100;

/** Maps values to heights between 0 and `HEIGHT`. */
export function scaleOf(curve: ChartCurve): { low: number; high: number; toY: (value: number) => number } {
  const known = curve.values.filter((value): value is number => value !== null && Number.isFinite(value) && (!curve.log || value > 0));
  const scaled = (value: number) => (curve.log ? Math.log10(value) : value);
  let low = Math.min(...known);
  let high = Math.max(...known);
  if (known.length === 0) [low, high] = curve.log ? [0.1, 1] : [0, 1];
  if (curve.signed) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) high = curve.log ? low * 10 : low + 1;
  const [from, to] = [scaled(low), scaled(high)];
  return { low, high, toY: (value) => HEIGHT - 6 - ((scaled(value) - from) / (to - from)) * (HEIGHT - 12) };
}

/** The curve as an SVG path, interrupted where there is no value. */
export function pathOf(curve: ChartCurve, x: number[]): string {
  const { toY } = scaleOf(curve);
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 1];
  let path = '';
  let pen = 'M';
  for (const [index, value] of curve.values.entries()) {
    if (value === null || !Number.isFinite(value) || (curve.log && value <= 0)) {
      pen = 'M';
      continue;
    }
    const at = (((x[index] ?? 0) - first) / (last - first || 1)) * WIDTH;
    path += `${pen}${at.toFixed(1)} ${toY(value).toFixed(1)}`;
    pen = 'L';
  }
  return path;
}

/** Curves and axis have to be the same objects as long as they are the same: only the cursor moves at every frame. */
export function Chart({ label, x, curves, cursor, keys, marks, onSeek, onSeekEnd }: ChartProps): JSX.Element {
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 1];
  const toX = (value: number) => ((value - first) / (last - first || 1)) * WIDTH;
  const seek = (event: TargetedPointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const part = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    onSeek?.(first + part * (last - first));
  };
  const drawn = useMemo(() => curves.map((curve) => ({ curve, scale: scaleOf(curve), path: pathOf(curve, x) })), [curves, x]);
  const main = drawn.find(({ curve }) => !curve.second);
  const zero = main?.curve.signed ? main.scale.toY(0) : null;
  return (
    <div class="chart">
      <div class="chart-field">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={label}
          class={onSeek ? 'seekable' : ''}
          onPointerDown={(event) => {
            if (!onSeek) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            seek(event);
          }}
          onPointerMove={(event) => {
            if (onSeek && event.currentTarget.hasPointerCapture(event.pointerId)) seek(event);
          }}
          onPointerUp={() => onSeekEnd?.()}
        >
          {zero !== null && (
            <>
              <clipPath id="below">
                <rect x="0" y={zero} width={WIDTH} height={Math.max(HEIGHT - zero, 0)} />
              </clipPath>
              <line class="zero" x1="0" x2={WIDTH} y1={zero} y2={zero} />
            </>
          )}
          {keys?.map((key) => <line key={key} class="key" x1={toX(key)} x2={toX(key)} y1="0" y2={HEIGHT} />)}
          {drawn.map(({ curve, path }) => (
            <path key={curve.name} class={curve.second ? 'curve second' : 'curve'} d={path} />
          ))}
          {main && zero !== null && <path class="curve deep" clip-path="url(#below)" d={main.path} />}
          {marks?.map((mark) => <line key={mark} class="chart-mark" x1={toX(mark)} x2={toX(mark)} y1="0" y2={HEIGHT} />)}
          <line class="cursor" x1={toX(cursor)} x2={toX(cursor)} y1="0" y2={HEIGHT} />
        </svg>
        {marks?.map((mark) => (
          <i key={mark} class="chart-flag" style={{ left: `${(100 * toX(mark)) / WIDTH}%`, top: `${(100 * (zero ?? HEIGHT)) / HEIGHT}%` }} />
        ))}
      </div>
      <div class="chart-legend">
        {drawn.map(({ curve, scale: { low, high } }) => {
          const known = curve.values.some((value) => value !== null);
          return (
            <span key={curve.name} class={curve.second ? 'second' : ''}>
              <i />
              {curve.name}
              {known && ` ${curve.format(low)} … ${curve.format(high)}`}
            </span>
          );
        })}
      </div>
    </div>
  );
}
