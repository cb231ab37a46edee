import '../../styles/runs/changes.css';
import { timeWords } from '../values/time-text.js';

export interface LinePoint {
  /** ISO time. */
  at: string;
  value: number;
  /** Range around the value, such as that of most numbers. */
  low?: number;
  high?: number;
}

const WIDTH = 1_000;
const HEIGHT = 100;

const axisNumber = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 6 });

interface LinePlotProps {
  /** In the order of time, at least one. */
  points: readonly LinePoint[];
  /** Describes the line, such as "price of B01". */
  label: string;
  /** True if a value stays until the next point, so that the line has steps. */
  isStepped?: boolean;
}

/** A line of numbers over time, with the lowest and highest number and both times at its sides. */
export function LinePlot({ points, label, isStepped = false }: LinePlotProps) {
  const times = points.map(({ at }) => Date.parse(at));
  const numbers = points.flatMap(({ value, low = value, high = value }) => [value, low, high]);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const [bottom, top] = [Math.min(...numbers), Math.max(...numbers)];
  const x = (index: number) => (to === from ? 0 : (((times[index] ?? from) - from) / (to - from)) * WIDTH);
  const y = (value: number) => (top === bottom ? HEIGHT / 2 : HEIGHT - ((value - bottom) / (top - bottom)) * HEIGHT);
  const line = points
    .map(({ value }, index) =>
      index === 0 ? `M${x(0)} ${y(value)}` : isStepped ? `H${x(index)}V${y(value)}` : `L${x(index)} ${y(value)}`,
    )
    .join('');
  const upper = points.map(({ value, high = value }, index) => `${x(index)} ${y(high)}`);
  const lower = points.map(({ value, low = value }, index) => `${x(index)} ${y(low)}`).reverse();
  const hasRange = points.some(({ low, high }) => low !== undefined && high !== undefined);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  return (
    <figure>
      <div className="line-axis tabular" aria-hidden="true">
        <span>{axisNumber.format(top)}</span>
        {top !== bottom && <span>{axisNumber.format(bottom)}</span>}
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${axisNumber.format(first.value)} at first, now ${axisNumber.format(last.value)}, between ${axisNumber.format(bottom)} and ${axisNumber.format(top)}`}
      >
        {hasRange && <path className="line-range" d={`M${[...upper, ...lower].join('L')}Z`} />}
        {/* A line of one point has no length. */}
        <path d={points.length === 1 || to === from ? `M0 ${y(last.value)}H${WIDTH}` : line} />
      </svg>
      <div className="line-times">
        <span>{timeWords(first.at)}</span>
        {to !== from && <span>{timeWords(last.at)}</span>}
      </div>
    </figure>
  );
}
