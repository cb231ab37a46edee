import { csv } from './csv.js';
import { extjson } from './extended-json.js';
import type { ExportFormat } from './format.js';
import { json, ndjson } from './json.js';
import { parquet } from './parquet.js';
import { xlsx } from './xlsx.js';

/** The registry of formats, by the name in `format`. */
export const FORMATS = { csv, json, ndjson, extjson, xlsx, parquet } satisfies Record<string, ExportFormat>;
export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

const BINARY = { type: 'string' as const, format: 'binary' };
const DOCUMENTS = { type: 'array' as const, items: { type: 'object' as const, additionalProperties: true } };

/** A file of any format, as the content of a response in OpenAPI. */
export const FILE_CONTENT = Object.fromEntries(
  Object.values(FORMATS).map(format => [
    format.contentType.replace(/;.*/, ''),
    { schema: format === json ? DOCUMENTS : BINARY },
  ]),
);
