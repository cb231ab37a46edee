import styles from './line-chart.module.css';

type Row = Record<string, string | number>;

const WIDTH = 480;
const HEIGHT = 240;
const LEFT = 48;
const RIGHT = 36;
const TOP = 12;
const BOTTOM = 40;
/** Colours of the lines, in the order of `series`. */
const LINES = [styles.first, styles.second];

const number = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** Returns a round number that is at least `value`. */
function axisTop(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(factor => factor * step).find(top => top >= value) ?? value;
}

interface LineChartProps {
  rows: Row[];
  /** Column of the horizontal axis, which is logarithmic. */
  x: string;
  /** Columns of the lines, at most two, in the same unit. */
  series: string[];
  /** Unit of the vertical axis. */
  unit: string;
}

/** Lines over a logarithmic axis. Screen readers get the table of the same rows, which the page shows below. */
export function LineChart({ rows, x, series, unit }: LineChartProps) {
  const at = (row: Row, column: string) => Number(row[column]);
  const sizes = rows.map(row => Math.log10(at(row, x)));
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const top = axisTop(Math.max(...rows.flatMap(row => series.map(column => at(row, column)))));
  const left = (row: Row) => LEFT + ((Math.log10(at(row, x)) - least) / (most - least)) * (WIDTH - LEFT - RIGHT);
  const height = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  return (
    <figure className={styles.figure}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {[0, 0.5, 1].map(part => (
          <g key={part}>
            <line
              className={styles.grid}
              x1={LEFT}
              x2={WIDTH - RIGHT}
              y1={height(top * part)}
              y2={height(top * part)}
            />
            <text className={styles.label} x={LEFT - 8} y={height(top * part) + 4} textAnchor="end">
              {number.format(top * part)}
            </text>
          </g>
        ))}
        {rows.map(row => (
          <text key={row[x]} className={styles.label} x={left(row)} y={HEIGHT - BOTTOM + 20} textAnchor="middle">
            {number.format(at(row, x))}
          </text>
        ))}
        {series.map((column, index) => (
          <g key={column} className={LINES[index]}>
            <polyline points={rows.map(row => `${left(row)},${height(at(row, column))}`).join(' ')} />
            {rows.map(row => (
              <circle key={row[x]} cx={left(row)} cy={height(at(row, column))} r={4}>
                <title>{`${number.format(at(row, x))} ${x}: ${number.format(at(row, column))} ${unit}`}</title>
              </circle>
            ))}
          </g>
        ))}
      </svg>
      <figcaption>
        {series.map((column, index) => (
          <span key={column} className={LINES[index]}>
            {column}
          </span>
        ))}
        <span>
          {unit}, by {x}
        </span>
      </figcaption>
    </figure>
  );
}
