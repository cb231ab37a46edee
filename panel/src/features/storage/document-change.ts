import type { MongoDocument } from '../../api/entities.js';
import { parseTyped } from '../../components/json-tree/typed-json.js';

/** Fields to write and fields to remove, as update operators of MongoDB. */
export interface DocumentChange {
  $set?: Record<string, unknown>;
  $unset?: Record<string, ''>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses the text of one document; returns the document, or the reason why it is none. */
export function parseDocument(text: string): { document: MongoDocument } | { problem: string } {
  const parsed = parseTyped(text);
  if ('problem' in parsed) return parsed;
  if (!isRecord(parsed.value)) return { problem: 'Enter one document in { and }.' };
  return { document: parsed.value };
}

/** Parses one document, or a list of documents in [ and ]. */
export function parseDocuments(text: string): { documents: MongoDocument[] } | { problem: string } {
  const parsed = parseTyped(text);
  if ('problem' in parsed) return parsed;
  const documents: unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (documents.length === 0) return { problem: 'The list is empty.' };
  const wrong = documents.findIndex(document => !isRecord(document));
  if (wrong === -1) return { documents: documents as MongoDocument[] };
  return {
    problem: Array.isArray(parsed.value)
      ? `Item ${wrong + 1} of the list is not a document.`
      : 'Enter a document in { and }, or a list of documents in [ and ].',
  };
}

/** Returns what changed between two versions of a document, null if nothing did, or a problem. */
export function changeOf(
  before: MongoDocument,
  after: MongoDocument,
): { change: DocumentChange | null } | { problem: string } {
  const isSame = (field: string) => JSON.stringify(before[field]) === JSON.stringify(after[field]);
  if (!isSame('_id')) return { problem: 'The _id of a document cannot change. Add a new document instead.' };
  const set = Object.entries(after).filter(([field]) => !Object.hasOwn(before, field) || !isSame(field));
  const unset = Object.keys(before).filter(field => !Object.hasOwn(after, field));
  const special = [...set.map(([field]) => field), ...unset].find(
    field => field.includes('.') || field.startsWith('$'),
  );
  if (special !== undefined)
    return { problem: `MongoDB cannot change the field ${special}, because its name has a dot or begins with $.` };
  if (set.length === 0 && unset.length === 0) return { change: null };
  return {
    change: {
      ...(set.length > 0 ? { $set: Object.fromEntries(set) } : {}),
      ...(unset.length > 0 ? { $unset: Object.fromEntries(unset.map(field => [field, '' as const])) } : {}),
    },
  };
}
