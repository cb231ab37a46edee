import type { ServiceGroupId } from '@site/content/service-groups';
import styles from './group-picture.module.css';

interface Drawing {
  lines: string;
  /** Centres of knots. */
  knots: [number, number][];
  /** The knot in the accent colour. */
  lit: [number, number];
}

/** Pictures of the groups of services, drawn as pieces of a net. Their size is 72 × 54 units. */
const DRAWINGS: Record<ServiceGroupId, Drawing> = {
  // A page with the net drawn through it.
  'data-scraping': {
    lines: 'M20 4h26l10 10v36H20zM46 4v10h10M8 24c14 6 44 6 58 0M12 36c12 6 36 6 48 0M26 26v14M38 28v14M50 26v14',
    knots: [
      [26, 28],
      [50, 28],
      [26, 40],
      [38, 41],
      [50, 40],
    ],
    lit: [38, 29],
  },
  // A line that rises and falls between the net's cords.
  'data-monitoring': {
    lines: 'M6 40L20 26L34 34L48 14L64 22M20 26V48M34 34V48M48 14V48M6 48H66',
    knots: [
      [6, 40],
      [20, 26],
      [34, 34],
      [64, 22],
    ],
    lit: [48, 14],
  },
  // Three layers of knots, each tied to the next.
  ai: {
    lines: 'M12 14L36 8M12 14L36 27M12 40L36 27M12 40L36 46M36 8L60 27M36 27L60 27M36 46L60 27M12 14L36 46M12 40L36 8',
    knots: [
      [12, 14],
      [12, 40],
      [36, 8],
      [36, 27],
      [36, 46],
    ],
    lit: [60, 27],
  },
  // Braces around a line of code.
  coding: {
    lines: 'M22 6c-8 0-4 20-12 21c8 1 4 21 12 21M50 6c8 0 4 20 12 21c-8 1-4 21-12 21M26 20h14M26 34h20M46 20h0M30 27h6',
    knots: [
      [26, 20],
      [26, 34],
      [46, 34],
    ],
    lit: [42, 27],
  },
  // Stacked layers with an output.
  'daas-and-apis': {
    lines:
      'M8 14c0-5 32-5 32 0s-32 5-32 0M8 14v24c0 5 32 5 32 0V14M8 26c0 5 32 5 32 0M40 20h12l10-8M40 27h22M40 34h12l10 8',
    knots: [
      [62, 12],
      [62, 42],
      [52, 20],
      [52, 34],
    ],
    lit: [62, 27],
  },
  // A pulse through the net.
  misc: {
    lines: 'M4 30h14l6-18l10 32l8-22l4 8h22M4 44c20 6 44 6 64 0M4 16c6-3 10-4 14-5M54 11c6 1 10 3 14 5',
    knots: [
      [18, 30],
      [34, 44],
      [46, 30],
    ],
    lit: [24, 12],
  },
};

/** Decorative, because the group's name is next to it. */
export function GroupPicture({ group }: { group: ServiceGroupId }) {
  const { lines, knots, lit } = DRAWINGS[group];
  return (
    <svg className={styles.picture} viewBox="0 0 72 54" aria-hidden="true">
      <path className={styles.lines} d={lines} />
      {knots.map(([x, y]) => (
        <circle key={`${x},${y}`} className={styles.knot} cx={x} cy={y} r={2.6} />
      ))}
      <circle className={styles.lit} cx={lit[0]} cy={lit[1]} r={4.2} />
    </svg>
  );
}
