/** Number of documents that the shares are counted in: the newest that match the filter. */
export const SAMPLE = 1_000;
const MAX_FIELDS = 200;

/** How many of the examined documents have a value in a field. Null and '' count as no value. */
export interface FieldShares {
  /** Number of examined documents. */
  documents: number;
  /** Number of documents with a value, by field. The fields that most documents have come first. */
  filled: Map<string, number>;
}

/** Returns the stages of an aggregation that counts the values of each field. */
export const sharesPipeline = (filter: string | undefined): Record<string, unknown>[] => [
  ...(filter ? [{ $match: JSON.parse(filter) as Record<string, unknown> }] : []),
  { $sort: { _id: -1 } },
  { $limit: SAMPLE },
  { $project: { _id: 0, field: { $objectToArray: '$$ROOT' } } },
  { $unwind: '$field' },
  {
    $group: {
      _id: '$field.k',
      present: { $sum: 1 },
      filled: { $sum: { $cond: [{ $in: ['$field.v', [null, '']] }, 0, 1] } },
    },
  },
  { $sort: { filled: -1, _id: 1 } },
  { $limit: MAX_FIELDS },
];

export function fieldShares(items: readonly Record<string, unknown>[]): FieldShares {
  const rows = items as readonly { _id: string; present: number; filled: number }[];
  // Each document has an `_id`, so its count is the number of documents.
  const documents = rows.find(({ _id }) => _id === '_id')?.present ?? 0;
  return { documents, filled: new Map(rows.map(({ _id, filled }) => [_id, filled])) };
}

/**
 * Returns a share as text. `0 %` and `100 %` are exact, so that a single document without a value is not rounded away.
 */
export function shareText(filled: number, documents: number): string {
  if (filled >= documents) return '100 %';
  if (filled === 0) return '0 %';
  return `${Math.min(99, Math.max(1, Math.round((filled / documents) * 100)))} %`;
}
