import { calculateObjectSize } from 'bson';
import { ApiError } from '../../../platform/common/errors.js';
import type { MongoParams } from '../import-params.js';
import { documentReader, type Row } from '../reading/rows.js';
import type { RowIds } from './row-ids.js';
import type { StagedRow } from './staging.js';

type Fields = Record<string, unknown>;

/** MongoDB's limit, less the fields that the import adds. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024 - 1_024;

interface DocumentsWork {
  params: Pick<MongoParams, 'reading' | 'columns' | 'names' | 'key'>;
  /** Makes each `_id` that the file lacks. */
  ids: RowIds;
}

/**
 * Returns a function that makes the document of a row.
 * @throws {ApiError} from that function, with the reason why the row is bad.
 */
export function stagedDocuments(
  work: DocumentsWork,
): (row: Row, number: number) => { stored: StagedRow; bytes: number } {
  const { reading, columns, names } = work.params;
  const toDocument = documentReader(reading, columns, names.length);
  return (row, number) => {
    const document = withId(toDocument(row), work, number);
    return { stored: { number, document }, bytes: sizeOf(document) };
  };
}

/** Puts the `_id` first, and checks the fields that MongoDB needs to have a value. */
function withId(fields: Fields, { params, ids }: DocumentsWork, number: number): Fields {
  const { key } = params;
  const _id = Object.hasOwn(fields, '_id') ? fields._id : ids.of(number);
  if (Array.isArray(_id)) throw bad('_id: a list cannot be an _id.');
  const document: Fields = { _id, ...fields };
  for (const field of key) {
    const value = valueAt(document, field);
    if (value === undefined || value === null || value === '') throw bad(`${field}: a key must not be empty.`);
    if (Array.isArray(value)) throw bad(`${field}: a key must not be a list.`);
  }
  return document;
}

function valueAt(document: Fields, path: string): unknown {
  let value: unknown = document;
  for (const name of path.split('.')) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, name)) return undefined;
    value = (value as Fields)[name];
  }
  return value;
}

function sizeOf(document: Fields): number {
  const bytes = calculateObjectSize(document);
  if (bytes > MAX_DOCUMENT_BYTES) throw bad(`The document has ${bytes} bytes; the limit is ${MAX_DOCUMENT_BYTES}.`);
  return bytes;
}

const bad = (message: string): ApiError => new ApiError('validation_failed', message);
