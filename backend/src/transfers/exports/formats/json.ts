import { setImmediate } from 'node:timers/promises';
import { JsonText } from '../../../data/storage/values/exact-json.js';
import { plain } from '../../../data/storage/values/plain-json.js';
import type { ColumnSet } from './columns.js';
import type { DeclaredColumns } from './declared.js';
import { type Fields, fieldsOf, type StoredDocument } from './documents.js';
import type { ExportFormat, FormatOptions } from './format.js';

const CHUNK_CHARS = 256 * 1024;

/** Writes documents as plain JSON: one text before the first, one between two, one after the last. */
const writer = (open: string, between: string, close: string) =>
  async function* write(
    batches: AsyncIterable<StoredDocument[]>,
    _columns: ColumnSet | null,
    { onNumberAsText }: FormatOptions,
    declared: DeclaredColumns,
  ): AsyncGenerator<Uint8Array> {
    let text = open;
    let separator = '';
    for await (const batch of batches) {
      const doubles = [...declared].filter(([, { type }]) => type === 'double').map(([name]) => name);
      for (const document of batch) {
        const fields = fieldsOf(document);
        // PostgreSQL's source has NaN and infinity as text.
        for (const name of doubles) if (typeof fields[name] === 'string') onNumberAsText?.();
        text += separator + textOf(fields, onNumberAsText);
        separator = between;
        if (text.length < CHUNK_CHARS) continue;
        yield Buffer.from(text);
        text = '';
        await setImmediate();
      }
    }
    if (separator !== '' || open !== '') yield Buffer.from(text + close);
  };

/** Only sources of PostgreSQL have values with a text of their own. */
function textOf(fields: Fields, onNumberAsText?: () => void): string {
  if (!Object.values(fields).some(isJsonText)) return JSON.stringify(plain(fields, onNumberAsText));
  const entries = Object.entries(fields).map(([name, value]) => {
    const text = isJsonText(value) ? value.line : JSON.stringify(plain(value, onNumberAsText));
    return `${JSON.stringify(name)}:${text}`;
  });
  return `{${entries.join(',')}}`;
}

const isJsonText = (value: unknown): value is JsonText => value instanceof JsonText;

export const json: ExportFormat = {
  extension: 'json',
  contentType: 'application/json; charset=utf-8',
  needs: 'nothing',
  write: writer('[\n', ',\n', '\n]\n'),
};

export const ndjson: ExportFormat = {
  extension: 'ndjson',
  contentType: 'application/x-ndjson; charset=utf-8',
  needs: 'nothing',
  write: writer('', '\n', '\n'),
};
