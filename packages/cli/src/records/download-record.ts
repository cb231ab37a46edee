import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Execution, type Trawl, unwrap } from '@trawl/client';
import type { Row } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import type { SavedRun } from './saved-records.js';

/** Writes the record of a run to a file, and returns the run. */
export async function downloadRecord(trawl: Trawl, id: string, path: string): Promise<SavedRun> {
  const run = trawl.runById(id);
  const execution = await run.execution();
  if (!execution.record || execution.record.problem !== null) {
    const reason = execution.record?.problem ?? 'Record the next one with: trawl run --record';
    throw new Failure(`The run ${id} has no record. ${reason}`, EXIT.notFound);
  }
  const params = { path: { skriptExecution_id: id } };
  const body = await unwrap(
    trawl.api.GET('/joint-api/skript-execution/{skriptExecution_id}/record', { params, parseAs: 'stream' }),
  );
  await pipeline(Readable.fromWeb(body as never), createWriteStream(path));
  const rows: Row[] = [];
  for await (const row of run.rows()) rows.push(row);
  return { input: await inputOf(trawl, execution), output: execution.output ?? null, rows };
}

async function inputOf(trawl: Trawl, { input, input_value }: Execution): Promise<string | null> {
  if (input_value !== null && input_value !== undefined) return JSON.stringify(input_value);
  if (!input) return null;
  const params = { path: { input_id: input.id } };
  const { val } = await unwrap(trawl.api.GET('/joint-api/inputs/{input_id}', { params }));
  return JSON.stringify(val);
}
