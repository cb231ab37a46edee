import type { ColumnType, Declared, DeclaredColumns } from '../formats/declared.js';

/** The types of PostgreSQL, by their numbers, whose values keep their type in XLSX, Parquet and Extended JSON. */
const TYPES: Record<number, ColumnType> = {
  16: 'boolean',
  17: 'bytes',
  20: 'long',
  21: 'integer',
  23: 'integer',
  26: 'integer',
  700: 'double',
  701: 'double',
  1082: 'date',
  1114: 'local',
  1184: 'instant',
};
const NUMERIC = 1700;
/** The most digits of a decimal in Parquet. */
const MAX_PRECISION = 38;

/** Returns what PostgreSQL says about the columns of a result. Columns of other types are text. */
export const declaredOf = (columns: { name: string; type: number; modifier?: number }[]): DeclaredColumns =>
  new Map(columns.map(({ name, type, modifier = -1 }) => [name, typeOf(type, modifier)]));

const typeOf = (type: number, modifier: number): Declared =>
  type === NUMERIC ? decimalOf(modifier) : { type: TYPES[type] ?? 'text' };

/** PostgreSQL writes precision and scale into one number, to which it adds the size of a header, 4. */
function decimalOf(modifier: number): Declared {
  const precision = ((modifier - 4) >> 16) & 0xffff;
  const scale = (((modifier - 4) & 0x7ff) ^ 1_024) - 1_024;
  const isKnown = modifier >= 4 && precision <= MAX_PRECISION && scale >= 0 && scale <= precision;
  return isKnown ? { type: 'decimal', decimal: { precision, scale } } : { type: 'decimal' };
}
