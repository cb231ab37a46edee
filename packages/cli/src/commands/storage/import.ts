import { createReadStream, createWriteStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { type components, type Trawl, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { accountOf, connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { progress } from '../../terminal/progress.js';
import { checkFolderOf } from './export.js';

type Import = components['schemas']['Import'];
type Preview = components['schemas']['ImportPreview'];
type Start = components['schemas']['StartImport'];

const POLL_MS = 500;
const FORMATS = ['csv', 'ndjson', 'extjson', 'json', 'xlsx', 'parquet'] as const;
const DELIMITERS = ['comma', 'semicolon', 'tab', 'pipe'] as const;
const DECIMAL_MARKS = ['point', 'comma'] as const;

export interface ImportOptions {
  /** Id or name. */
  database?: string;
  /** The name is that of a table. */
  table?: boolean;
  schema?: string;
  /** Names of fields, separated by commas. */
  key?: string;
  format?: string;
  delimiter?: string;
  decimalMark?: string;
  encoding?: string;
  skipLines?: string;
  sheet?: string;
  header: boolean;
  skipBadRows?: boolean;
  /** The file for the bad rows. */
  badRows?: string;
  dryRun?: boolean;
}

/** Imports a file into a collection or a table, and waits until it has ended. */
export default async function importFile(
  file: string,
  target: string,
  options: ImportOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const format = oneOf(FORMATS, '--format', options.format);
  const delimiter = oneOf(DELIMITERS, '--delimiter', options.delimiter);
  const decimal_mark = oneOf(DECIMAL_MARKS, '--decimal-mark', options.decimalMark);
  const encoding = options.encoding as Start['encoding'];
  const skip_lines = options.skipLines === undefined ? undefined : Number(options.skipLines);
  if (skip_lines !== undefined && !Number.isInteger(skip_lines)) {
    throw new Failure(`--skip-lines must be a whole number; you gave ${options.skipLines}.`, EXIT.usage);
  }
  assertOneTarget(options);
  if (file !== '-') {
    await access(file).catch(error => {
      const what = error.code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${error.code}.`;
      throw new Failure(what, EXIT.usage);
    });
  }
  if (options.badRows !== undefined) checkFolderOf(options.badRows);
  const trawl = await connect(context, FOLLOW_FOR_MS);
  const into = options.table
    ? { table: target, schema: options.schema ?? 'public' }
    : { db_id: await trawl.databaseId(options.database), collection: target };
  if (options.dryRun) return output.planned(`import ${file === '-' ? 'stdin' : file} into ${target}`);
  const { id } = await progress(output, `Uploading ${file}`, upload(file, context));
  const path = { import_id: id };
  const reading = {
    header: options.header,
    ...(format ? { format } : {}),
    ...(delimiter ? { delimiter } : {}),
    ...(decimal_mark ? { decimal_mark } : {}),
    ...(encoding ? { encoding } : {}),
    ...(skip_lines === undefined ? {} : { skip_lines }),
    ...(options.sheet === undefined ? {} : { sheet: options.sheet }),
  };
  const body = {
    ...into,
    ...reading,
    ...(options.key === undefined ? {} : { key: options.key.split(',') }),
    skip_bad_rows: options.skipBadRows ?? false,
  };
  let seen: Import;
  try {
    const params = { path, query: reading };
    const preview = await unwrap(trawl.api.GET('/joint-api/imports/{import_id}/preview', { params }));
    if (options.sheet === undefined) noteOtherSheets(preview, context);
    seen = await unwrap(trawl.api.POST('/joint-api/imports/{import_id}/start', { params: { path }, body }));
  } catch (error) {
    // Without it, wrong options would fill the account with files.
    await trawl.api.DELETE('/joint-api/imports/{import_id}', { params: { path } }).catch(() => undefined);
    throw error;
  }
  const end = async () => {
    while (seen.ended_at === null) {
      await delay(POLL_MS);
      seen = await unwrap(trawl.api.GET('/joint-api/imports/{import_id}', { params: { path } }));
    }
  };
  await progress(output, () => `Importing: ${seen.rows_read} rows read, ${seen.rows_moved} stored`, end());
  await tellBadRows(trawl, seen, options, context);
  if (seen.state !== 'done') {
    throw new Failure(seen.error_message ?? `The import was cancelled: ${id}.`, EXIT.failed);
  }
  const { inserted, updated, bad_rows } = seen;
  output.result(
    { import_id: id, ...(options.table ? { table: target } : { collection: target }), inserted, updated, bad_rows },
    `${target}: ${inserted} added, ${updated} updated, ${bad_rows} bad`,
  );
}

/** Sends the file while it is read. The client would keep a copy of the whole body, to send it again. */
async function upload(file: string, context: Context): Promise<Import> {
  const { url, key } = await accountOf(context);
  const query = file === '-' ? '' : `?file_name=${encodeURIComponent(basename(file))}`;
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/octet-stream' };
  const source = file === '-' ? process.stdin : createReadStream(file);
  const body = Readable.toWeb(source) as unknown as ReadableStream;
  const init = { method: 'POST', headers, body, duplex: 'half', redirect: 'error' } as RequestInit;
  const call = async () => {
    const response = await fetch(`${url.replace(/\/+$/, '')}/joint-api/imports/upload${query}`, init);
    const answer = (await response.json().catch(() => undefined)) as Import;
    return response.ok ? { data: answer, response } : { error: answer, response };
  };
  return unwrap(call());
}

function noteOtherSheets({ sheet, sheets = [] }: Preview, { output }: Context): void {
  const others = sheets.filter(name => name !== sheet);
  if (others.length === 0) return;
  output.note(
    `Trawl imports the sheet "${sheet}". To import another one, add --sheet with ${others.map(name => `"${name}"`).join(', ')}.`,
  );
}

async function tellBadRows(trawl: Trawl, { id, bad_rows }: Import, options: ImportOptions, context: Context) {
  if (bad_rows === 0) return;
  const params = { path: { import_id: id } };
  if (options.badRows === undefined) {
    context.output.note(`To see the bad rows: trawl api GET /joint-api/imports/${id}/bad-rows`);
    return;
  }
  const call = trawl.api.GET('/joint-api/imports/{import_id}/bad-rows', { params, parseAs: 'stream' });
  const rows = (await unwrap(call)) as unknown as ReadableStream;
  await pipeline(Readable.fromWeb(rows), createWriteStream(options.badRows));
  context.output.note(`The bad rows are in ${options.badRows}.`);
}

function assertOneTarget({ table, schema, database }: ImportOptions): void {
  if (table && database !== undefined) {
    throw new Failure('--database is for collections: leave it out with --table.', EXIT.usage);
  }
  if (!table && schema !== undefined) throw new Failure('--schema needs --table.', EXIT.usage);
}

function oneOf<Name extends string>(names: readonly Name[], option: string, given?: string): Name | undefined {
  const found = names.find(name => name === given);
  if (found || given === undefined) return found;
  throw new Failure(`${option} must be ${names.join(', ')}; you gave ${given}.`, EXIT.usage);
}
