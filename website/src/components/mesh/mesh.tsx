import styles from './mesh.module.css';

interface MeshProps {
  columns: number;
  rows: number;
  /** Knots in the accent colour, as `column,row`. */
  lit?: string[];
}

const CELL = 40;

/** Decorative net that hangs from its upper corners. Lower lines sag more. */
export function Mesh({ columns, rows, lit = [] }: MeshProps) {
  const width = columns * CELL;
  const sag = rows * CELL * 0.55;
  const point = (column: number, row: number) => {
    const across = (2 * column) / columns - 1;
    const depth = (row / rows) ** 1.4;
    // Lower lines are narrower, as in a loaded net.
    const x = width / 2 + across * (width / 2) * (1 - 0.12 * depth);
    const y = 2 + row * CELL * 0.62 + sag * depth * (1 - across ** 2);
    return [Number(x.toFixed(1)), Number(y.toFixed(1))] as const;
  };
  const line = (points: (readonly [number, number])[]) => `M${points.map(p => p.join(' ')).join('L')}`;
  const range = (count: number) => Array.from({ length: count + 1 }, (_, index) => index);
  const lines = [
    ...range(rows).map(row => line(range(columns).map(column => point(column, row)))),
    ...range(columns).map(column => line(range(rows).map(row => point(column, row)))),
  ];
  // A line of zero length with round ends is a dot, so one path draws all knots.
  const knots = range(rows).flatMap(row => range(columns).map(column => `M${point(column, row).join(' ')}h0`));

  return (
    <svg
      className={styles.mesh}
      viewBox={`0 0 ${width} ${rows * CELL * 0.62 + sag + 8}`}
      preserveAspectRatio="xMidYMin slice"
      aria-hidden="true"
    >
      <path className={styles.lines} d={lines.join('')} />
      <path className={styles.knots} d={knots.join('')} />
      {lit.map(knot => {
        const [column = 0, row = 0] = knot.split(',').map(Number);
        const [x, y] = point(column, row);
        return <circle key={knot} className={styles.lit} cx={x} cy={y} r={4} />;
      })}
    </svg>
  );
}
