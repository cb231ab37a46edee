import { isEnded, type Row, type Trawl, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { UUID } from '../../remote-run/find-run.js';
import { requireEnd } from '../../remote-run/remote-run.js';
import { connect, FOLLOW_FOR_MS } from '../../session/connect.js';
import { parseJson } from '../../skript-folder/manifest.js';
import { findCollection } from '../../storage/find-collection.js';
import { clean, safeJson } from '../../terminal/clean.js';
import { readLimit } from '../../terminal/limit.js';

/** Most documents that the API returns at once. */
const PAGE = 1_000;
/** An id names a run. Names of collections do not look like one. */
export const isRunId = (name: string): boolean => UUID.test(name);
/** Length of the field names that the API can select. */
const MAX_SELECT_CHARS = 500;

export interface RowsOptions {
  /** Id or name. */
  database?: string;
  /** A MongoDB filter as JSON. */
  filter?: string;
  csv?: boolean;
  /** Prints Extended JSON instead of plain JSON. */
  extended?: boolean;
  limit?: string;
  /** Continues with new rows until the run has ended. */
  follow?: boolean;
}

/** A page of CSV, and the cursor of the next one. */
interface CsvPage {
  text: string;
  next: string | null;
}

interface PageQuery {
  limit: number;
  select?: string;
  after?: string;
}

/** A collection, or the rows of a run. */
interface Source {
  rows(): AsyncIterable<Row>;
  csv(query: PageQuery): Promise<CsvPage>;
}

/** Prints the documents of a collection, or the rows of a run: one JSON value a line, or CSV. */
export default async function rows(name: string, options: RowsOptions, context: Context): Promise<void> {
  const { output } = context;
  if (options.csv && output.isJson) throw new Failure('Use either --csv or --json.', EXIT.usage);
  if (options.csv && options.extended) throw new Failure('Use either --csv or --extended.', EXIT.usage);
  const isRun = isRunId(name);
  if (isRun && (options.database !== undefined || options.filter !== undefined || options.extended)) {
    throw new Failure(
      '--database, --filter and --extended are only for collections, not for the rows of a run.',
      EXIT.usage,
    );
  }
  if (options.follow && !isRun) {
    throw new Failure(`--follow is only for the rows of a run: give its id. “${clean(name)}” is none.`, EXIT.usage);
  }
  if (options.follow && options.csv) throw new Failure('--follow prints JSON lines: leave out --csv.', EXIT.usage);
  const filter = filterOf(options);
  const limit = readLimit(options.limit);
  const trawl = await connect(context, options.follow ? FOLLOW_FOR_MS : undefined);
  const source = isRun ? await runSource(trawl, name, options) : await collectionSource(trawl, name, options, filter);
  // Waits until the reader has taken the text, so that a large collection never fills the memory.
  const write = (text: string) => new Promise(resolve => output.stdout.write(text, resolve));
  if (!options.csv) {
    let isEmpty = true;
    for await (const row of upTo(limit, source)) {
      await write(`${safeJson(row)}\n`);
      isEmpty = false;
    }
    if (isEmpty) output.note(`${name} has no ${isRun ? 'rows' : 'documents'}${filter ? ' that match' : ''}.`);
    if (options.follow) await requireNoFailure(trawl, name);
    return;
  }
  for await (const text of csvPages(source, limit)) await write(output.stdout.isTTY ? clean(text) : text);
}

/** With `--limit`, the run may still be live. */
async function requireNoFailure(trawl: Trawl, id: string): Promise<void> {
  const execution = await trawl.runById(id).execution();
  if (isEnded(execution)) requireEnd(execution);
}

async function collectionSource(
  trawl: Trawl,
  collection: string,
  { database, extended }: RowsOptions,
  filter: Record<string, unknown> | undefined,
): Promise<Source> {
  const path = await findCollection(trawl, collection, database);
  return {
    rows: () => trawl.rows(collection, { database: path.db_id, filter, format: extended ? 'extended' : 'relaxed' }),
    csv: query => {
      const params = { path, query: { ...query, filter: filter && JSON.stringify(filter) } };
      return csvPage(trawl.api.GET('/joint-api/mongo/{db_id}/{collection}/csv', { params, parseAs: 'text' }));
    },
  };
}

async function runSource(trawl: Trawl, id: string, { follow }: RowsOptions): Promise<Source> {
  const run = trawl.runById(id);
  const path = { skriptExecution_id: (await run.execution()).id };
  return {
    rows: () => run.rows({ follow }),
    csv: query => {
      const params = { path, query: { ...query, format: 'csv' as const } };
      return csvPage(
        trawl.api.GET('/joint-api/skript-execution/{skriptExecution_id}/rows', { params, parseAs: 'text' }),
      );
    },
  };
}

async function csvPage(call: Promise<{ data?: string; error?: unknown; response: Response }>): Promise<CsvPage> {
  const text = await unwrap(call);
  return { text, next: (await call).response.headers.get('x-next-cursor') };
}

async function* upTo(limit: number, source: Source) {
  let count = 0;
  for await (const row of source.rows()) {
    yield row;
    count += 1;
    if (count >= limit) return;
  }
}

/** Yields the pages of one CSV. Every page has the same columns, and only the first has the header. */
async function* csvPages(source: Source, limit: number): AsyncGenerator<string> {
  const first = await source.csv({ limit: Math.min(limit, PAGE) });
  if (first.next === null || limit <= PAGE) return yield first.text;
  // The columns of a page are the fields of its own documents, so all pages must select those of all documents.
  const select = await fieldsOf(source, limit);
  let after: string | undefined;
  for (let left = limit; left > 0; left -= PAGE) {
    const { text, next } = await source.csv({ limit: Math.min(left, PAGE), select, after });
    yield after === undefined ? text : text.slice(text.indexOf('\n') + 1);
    if (next === null) return;
    after = next;
  }
}

/** Returns the names of all fields of all documents, separated by commas. */
async function fieldsOf(source: Source, limit: number): Promise<string> {
  const names = new Set<string>();
  for await (const row of upTo(limit, source)) for (const name of Object.keys(row)) names.add(name);
  names.delete('_id');
  const select = [...names].join(',');
  if (select.length <= MAX_SELECT_CHARS && [...names].every(name => /^[^-,."\r\n][^,."\r\n]*$/.test(name)))
    return select;
  throw new Failure(
    `The ${names.size} fields of these documents do not fit into one CSV of several pages. Leave out --csv, or choose documents with --filter.`,
  );
}

function filterOf({ filter }: RowsOptions): Record<string, unknown> | undefined {
  if (filter === undefined) return undefined;
  const parsed = parseJson(filter, '--filter');
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>;
  throw new Failure('--filter must be a JSON object, such as { "price": { "$lt": 20 } }.', EXIT.usage);
}
