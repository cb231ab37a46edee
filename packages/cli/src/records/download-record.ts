import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Execution, type Trawl, unwrap } from '@trawl/client';
import { LIMITS, type Row } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import type { RowsByTarget } from '../local-run/inserted-rows.js';
import { parseJson } from '../skript-folder/manifest.js';
import { checkRecordFile, type SavedRecord } from './saved-records.js';
import { isRow, type SavedRun } from './saved-run.js';

/**
 * Writes the record of a run to a file, and returns both.
 *
 * @throws {Failure} if the platform sends something else than a record
 */
export async function downloadRecord(trawl: Trawl, id: string, path: string): Promise<SavedRecord> {
  const run = trawl.runById(id);
  const execution = await run.execution();
  if (!execution.record?.bytes) {
    const reason = execution.record?.problem ?? 'Record the next one with: trawl run --record';
    throw new Failure(`The run ${id} has no record. ${reason}`, EXIT.notFound);
  }
  const params = { path: { skriptExecution_id: id } };
  const body = await unwrap(
    trawl.api.GET('/joint-api/skript-execution/{skriptExecution_id}/record', { params, parseAs: 'stream' }),
  );
  const name = `the record of the run ${id}`;
  await pipeline(Readable.fromWeb(body as never), limited(name), createWriteStream(path));
  await checkRecordFile(path, name);
  const inserted = await insertedRows(trawl, id);
  const rows: Row[] = [];
  for await (const row of run.rows()) rows.push(row);
  const saved: SavedRun = {
    input: await inputOf(trawl, execution),
    output: execution.output ?? null,
    rows,
    started_at: execution.started_at,
    ended_at: execution.ended_at,
    ...(inserted && { inserted }),
  };
  return { name, path, run: saved };
}

/** Downloads the rows that a run inserted with `mongo` and `postgres`; undefined if the platform is too old to keep them. */
async function insertedRows(trawl: Trawl, id: string): Promise<RowsByTarget | undefined> {
  const params = { path: { skriptExecution_id: id } };
  const answer = await trawl.api.GET('/joint-api/skript-execution/{skriptExecution_id}/record/rows', {
    params,
    parseAs: 'stream',
  });
  if (answer.response.status === 404) return undefined;
  const body = await unwrap(Promise.resolve(answer));
  // A run without such rows has an empty answer, which is no stream.
  if (!(body instanceof ReadableStream)) return {};
  const inserted = new Map<string, Row[] | null>();
  const name = `the rows of the run ${id}`;
  for await (const line of createInterface({ input: Readable.from(limited(name)(Readable.fromWeb(body as never))) })) {
    const { target, row } = parseLine(line, name);
    const rows = inserted.get(target) ?? [];
    inserted.set(target, row === null ? null : rows);
    if (row !== null) rows.push(row);
  }
  return Object.fromEntries(inserted);
}

function parseLine(line: string, name: string): { target: string; row: Row | null } {
  const value = parseJson(line, name);
  const { target, row } = (isRow(value) ? value : {}) as { target?: unknown; row?: unknown };
  if (typeof target === 'string' && (row === null || isRow(row))) return { target, row };
  throw new Failure(`Trawl refuses ${name}: each line must be JSON with \`target\` and \`row\`.`);
}

/** Passes the bytes of a record on, and not more than a record may have. */
function limited(name: string) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > LIMITS.recordBytes)
        throw new Failure(`Trawl refuses ${name}: it may have ${LIMITS.recordBytes} bytes.`);
      yield chunk;
    }
  };
}

async function inputOf(trawl: Trawl, { input, input_value }: Execution): Promise<string | null> {
  if (input_value !== null && input_value !== undefined) return JSON.stringify(input_value);
  if (!input) return null;
  const params = { path: { input_id: input.id } };
  const { val } = await unwrap(trawl.api.GET('/joint-api/inputs/{input_id}', { params }));
  return JSON.stringify(val);
}
