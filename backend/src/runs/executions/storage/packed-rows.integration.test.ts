import { randomUUID } from 'node:crypto';
import type { PostgresAnswer } from '@trawl/contracts';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';

const fleet = fleetForEachTest(appForFile().app);

/** Returns a function that executes a statement as a worker does for its run. */
async function statements(packs_rows?: boolean): Promise<(text: string) => Promise<PostgresAnswer>> {
  const worker = await fleet.connect();
  await fleet.start({ input: randomUUID() });
  const { id, token } = await worker.offers.next();
  let op_id = 0;
  return text => {
    op_id += 1;
    const op = { method: 'query', text, params: [] };
    const frame = { epoch: worker.welcome.epoch, id, token, op_id, op, resend: false, packs_rows };
    return worker.send('postgres', frame) as Promise<PostgresAnswer>;
  };
}

const LARGE = `SELECT n, CASE WHEN n = 2 THEN NULL ELSE 'naïve "row" ' || n END AS text FROM generate_series(1, 300) n`;
const SMALL = 'SELECT n FROM generate_series(1, 3) n';
const rowsOfLarge = Array.from({ length: 300 }, (_, index) => [
  String(index + 1),
  index === 1 ? null : `naïve "row" ${index + 1}`,
]);

it('many rows are packed for a worker that reads them', async () => {
  const execute = await statements(true);
  const answer = await execute(LARGE);
  if (!('result' in answer && answer.packed_rows)) throw new Error(`not packed: ${JSON.stringify(answer)}`);
  expect(answer.result).toMatchObject({ rows: [], row_count: 300, fields: [{ name: 'n' }, { name: 'text' }] });
  expect(JSON.parse(Buffer.from(answer.packed_rows).toString())).toEqual(rowsOfLarge);
  expect(await execute(SMALL)).toEqual({ result: expect.objectContaining({ rows: [['1'], ['2'], ['3']] }) });
});

it('an older worker gets all rows unpacked', async () => {
  const execute = await statements();
  expect(await execute(LARGE)).toEqual({ result: expect.objectContaining({ rows: rowsOfLarge }) });
});
