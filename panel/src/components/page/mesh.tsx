const COLUMNS = 9;
const ROWS = 5;
const STEP = 100;
const SAG = 26;

/** Returns the y coordinate of a knot. Each row hangs lower in the middle, like a net between two boats. */
const knotY = (column: number, row: number): number =>
  40 + row * STEP * 0.72 + SAG * row * 0.55 * Math.sin((column / (COLUMNS - 1)) * Math.PI);

const columns = Array.from({ length: COLUMNS }, (_, column) => column);
const rows = Array.from({ length: ROWS }, (_, row) => row);

const horizontal = (row: number): string =>
  columns
    .slice(1)
    .map(column => {
      const middleY = (knotY(column - 1, row) + knotY(column, row)) / 2 + SAG;
      return `Q${(column - 0.5) * STEP} ${middleY.toFixed(1)} ${column * STEP} ${knotY(column, row).toFixed(1)}`;
    })
    .join('');

const LINES = [
  ...rows.map(row => `M0 ${knotY(0, row).toFixed(1)}${horizontal(row)}`),
  ...columns.map(
    column =>
      `M${column * STEP} ${knotY(column, 0).toFixed(1)}L${rows
        .slice(1)
        .map(row => `${column * STEP} ${knotY(column, row).toFixed(1)}`)
        .join('L')}`,
  ),
].join('');

const KNOTS = rows.flatMap(row => columns.map(column => ({ column, row })));

/** Decorative net of the brand. */
export function Mesh() {
  return (
    <svg className="mesh" viewBox="0 0 800 460" fill="none" aria-hidden="true" focusable="false">
      <path d={LINES} stroke="currentColor" strokeWidth="1.3" />
      {KNOTS.map(({ column, row }) => {
        const isBuoy = column === 5 && row === 2;
        return (
          <circle
            key={`${column}-${row}`}
            className={isBuoy ? 'mesh-knot' : undefined}
            cx={column * STEP}
            cy={knotY(column, row)}
            r={isBuoy ? 8 : 3.4}
            fill={isBuoy ? undefined : 'currentColor'}
          />
        );
      })}
    </svg>
  );
}
