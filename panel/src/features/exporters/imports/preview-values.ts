import type { ImportPreview } from '../../../api/entities.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';

const VALUE_CHARS = 60;

/** The value of a date, an id or a long number, which the preview has as Extended JSON. */
const plainOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const { $date, $oid, $numberLong } = value as Record<string, unknown>;
  return $date ?? $oid ?? $numberLong ?? value;
};

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  const plain = plainOf(value);
  const text = inReadingOrder(typeof plain === 'string' ? plain : JSON.stringify(plain));
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text;
};

/** Returns the value of a dotted path in a document. */
const valueAt = (document: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
      document,
    );

/** Returns the value of a column in a document of the preview. The document has it at the field that Trawl suggested. */
export const previewText = ({ columns }: ImportPreview, document: unknown, index: number): string =>
  textOf(valueAt(document, columns.find(column => column.index === index)?.field ?? ''));

/** Joins bad rows that follow each other and have the same reason, such as a wrong delimiter. */
export function badRowRanges({ bad_rows }: Pick<ImportPreview, 'bad_rows'>): { rows: string; reason: string }[] {
  const ranges: { from: number; to: number; reason: string }[] = [];
  for (const { row, reason } of bad_rows) {
    const last = ranges.at(-1);
    if (last && last.to === row - 1 && last.reason === reason) last.to = row;
    else ranges.push({ from: row, to: row, reason });
  }
  return ranges.map(({ from, to, reason }) => ({
    rows: from === to ? `Row ${from}` : `Rows ${from} to ${to}`,
    reason,
  }));
}
