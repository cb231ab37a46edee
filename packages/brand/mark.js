import { jsx, jsxs } from 'react/jsx-runtime';

const LINES = 'M3 6q13 4 26 0M3 13.5q13 5 26 0M3 6v7.5M29 6v7.5M16 8v20.5';
const KNOTS = [
  [3, 6],
  [29, 6],
  [16, 8],
  [3, 13.5],
  [29, 13.5],
];

export function Mark() {
  return jsxs('svg', {
    viewBox: '0 0 32 32',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: '2.2',
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
    'aria-hidden': 'true',
    children: [
      jsx('path', { d: LINES }, 'lines'),
      ...KNOTS.map(([cx, cy]) =>
        jsx('circle', { cx, cy, r: 2.3, fill: 'currentColor', stroke: 'none' }, `${cx} ${cy}`),
      ),
      jsx('circle', { cx: 16, cy: 16, r: 3.6, fill: 'var(--trawl-accent)', stroke: 'none' }, 'buoy'),
    ],
  });
}
