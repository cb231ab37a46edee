// @ts-check
// Changes the rows of a run as a broken scraper would.

/** @typedef {import('./series.mjs').Row} Row */
/** @typedef {{ path: string, filled: number, types: Record<string, number>, top?: number, numbers?: number[] }} Field */
/** @typedef {{ name: string, fits?: (field: Field) => boolean, break: (rows: Row[], path: string, random: () => number) => Row[] }} Break */

/** @param {Row} row @param {string} path @param {(value: any) => unknown} change @returns {Row} */
function changed(row, path, change) {
  if (Object.hasOwn(row, path)) return { ...row, [path]: change(row[path]) };
  const dot = path.indexOf('.');
  const [name, rest] = [path.slice(0, dot), path.slice(dot + 1)];
  const inside = row[name];
  if (dot < 0 || inside === null || typeof inside !== 'object') return row;
  return { ...row, [name]: changed(/** @type {Row} */ (inside), rest, change) };
}

/** @param {number} share @returns {Break['break']} */
const emptied = share => (rows, path, random) =>
  rows.map(row => (random() < share ? changed(row, path, () => '') : row));

/** @param {number} share @returns {Break['break']} */
const fewer = share => rows => rows.slice(0, Math.round(rows.length * share));

/** @param {Field} field */
const isFilled = ({ filled, types }) => filled >= 0.5 && !types.object;
/** @param {Field} field */
const isNumber = field => isFilled(field) && types(field, 'number') > 0.9 && field.numbers?.[1] !== 0;
/** @param {Field} field @param {string} type */
const types = (field, type) => field.types[type] ?? 0;

/** @type {Break[]} */
export const BREAKS = [
  { name: 'no rows', break: fewer(0) },
  { name: 'a tenth of the rows', break: fewer(0.1) },
  { name: 'half of the rows', break: fewer(0.5) },
  { name: 'every row twice', break: rows => rows.flatMap(row => [row, row]) },
  { name: 'a field empty in all', fits: isFilled, break: emptied(1) },
  { name: 'a field empty in half', fits: isFilled, break: emptied(0.5) },
  { name: 'a field empty in a fifth', fits: isFilled, break: emptied(0.2) },
  {
    name: 'one text everywhere',
    // A field that has nearly always the same value cannot lose its variety.
    fits: field => isFilled(field) && types(field, 'text') > 0.9 && (field.top ?? 1) < 0.8,
    break: (rows, path) => rows.map(row => changed(row, path, () => 'Accept cookies')),
  },
  {
    name: 'number to text',
    fits: isNumber,
    break: (rows, path) => rows.map(row => changed(row, path, value => `${value} €`)),
  },
  {
    name: 'number times 100',
    fits: isNumber,
    break: (rows, path) =>
      rows.map(row => changed(row, path, value => (typeof value === 'number' ? value * 100 : value))),
  },
];
