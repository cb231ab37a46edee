import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Trawl, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { findCollection } from '../../storage/find-collection.js';
import { clean } from '../../terminal/clean.js';
import { progress } from '../../terminal/progress.js';
import { isRunId } from './rows.js';

const FORMATS = ['csv', 'json', 'ndjson', 'extjson', 'xlsx', 'parquet'] as const;
type Format = (typeof FORMATS)[number];
const BINARY: Format[] = ['xlsx', 'parquet'];

export interface ExportOptions {
  output?: string;
  format?: string;
  fields?: string;
  filter?: string;
  flatten: boolean;
  bom?: boolean;
  /** Id or name of a database of MongoDB. */
  database?: string;
  /** Whether the name is that of a table of PostgreSQL. */
  table?: boolean;
  schema?: string;
  force?: boolean;
}

/** Downloads a collection, the rows of a run, or a table of PostgreSQL, to a file or stdout. */
export default async function exportRows(name: string, options: ExportOptions, context: Context): Promise<void> {
  const { output } = context;
  const format = formatOf(options);
  const file = options.output === '-' ? undefined : options.output;
  checkOptions(name, options);
  if (file === undefined && output.isJson) throw new Failure('With --json, name a file with --output.', EXIT.usage);
  if (file === undefined && output.stdout.isTTY && BINARY.includes(format))
    throw new Failure(`${format} is not text. Name a file with --output.`, EXIT.usage);
  if (file !== undefined && !options.force && existsSync(file))
    throw new Failure(`${file} exists. Replace it with --force, or name another file.`, EXIT.conflict);
  if (file !== undefined) checkFolderOf(file);
  const trawl = await connect(context);
  const query = {
    format,
    ...(options.fields === undefined ? {} : { fields: options.fields }),
    ...(options.flatten ? {} : { flatten: false }),
    ...(options.bom ? { bom: true } : {}),
  };
  let bytes = 0;
  const save = async () => {
    const body = await download(trawl, name, options, query);
    const counted = new Transform({
      transform(chunk: Buffer, _, done) {
        bytes += chunk.length;
        done(null, output.stdout.isTTY && file === undefined ? clean(chunk.toString()) : chunk);
      },
    });
    const source = Readable.fromWeb(body as ReadableStream);
    if (file === undefined) await pipeline(source, counted, output.stdout as NodeJS.WriteStream, { end: false });
    else await saveTo(file, async part => pipeline(source, counted, createWriteStream(part)));
  };
  await progress(output, () => `Downloading ${name}: ${Math.ceil(bytes / 1024)} KB`, save());
  if (file !== undefined) output.result({ file, bytes, format }, `${file}: ${bytes} bytes`);
}

/** Refuses a file that cannot be created, before anything is downloaded for it. */
export function checkFolderOf(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new Failure(`There is no folder ${folder} for ${file}. Create it, or name another file.`, EXIT.usage);
}

function formatOf({ format, output = '' }: ExportOptions): Format {
  const asked = format ?? (extname(output).slice(1) || 'csv');
  const found = FORMATS.find(one => one === asked);
  if (found) return found;
  throw new Failure(`--format must be ${FORMATS.join(', ')}; you gave ${asked}.`, EXIT.usage);
}

function checkOptions(name: string, { table, schema, database, filter }: ExportOptions): void {
  if (table && (filter !== undefined || database !== undefined))
    throw new Failure('--filter and --database are only for documents, not for a table.', EXIT.usage);
  if (!table && schema !== undefined) throw new Failure('--schema is only for a --table.', EXIT.usage);
  if (!table && isRunId(name) && database !== undefined)
    throw new Failure('--database is only for a collection, not for the rows of a run.', EXIT.usage);
}

type Query = { format: Format; fields?: string; flatten?: boolean; bom?: boolean };

async function download(trawl: Trawl, name: string, options: ExportOptions, query: Query): Promise<unknown> {
  const { table, schema, filter } = options;
  const parseAs = 'stream' as const;
  if (table) {
    const params = { path: { table: name }, query: { ...query, ...(schema === undefined ? {} : { schema }) } };
    return unwrap(trawl.api.GET('/joint-api/postgres-tables/{table}/export', { params, parseAs }));
  }
  const ofDocuments = { ...query, ...(filter === undefined ? {} : { filter }) };
  if (isRunId(name)) {
    const params = { path: { skriptExecution_id: name }, query: ofDocuments };
    return unwrap(trawl.api.GET('/joint-api/skript-execution/{skriptExecution_id}/rows/export', { params, parseAs }));
  }
  const params = { path: await findCollection(trawl, name, options.database), query: ofDocuments };
  return unwrap(trawl.api.GET('/joint-api/mongo/{db_id}/{collection}/export', { params, parseAs }));
}

/** Writes beside the file first, so that an interrupted download never looks like the whole file. */
async function saveTo(file: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${file}.part`;
  try {
    await write(part);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
