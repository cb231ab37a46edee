import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();

const MAIN = `const { postgres } = require('@trawl/storage');

const ROWS = \`SELECT n, n % 2 = 0 AS even, CASE WHEN n <> 7 THEN 'naïve "row" ' || n || chr(10) END AS text,
  timestamptz '2026-01-01Z' + n * interval '1 day' AS at FROM generate_series(1, 2500) n\`;

module.exports = async () => {
  const { rows, rowCount } = await postgres.query(ROWS);
  const read = [];
  for await (const row of postgres.cursor(ROWS)) read.push(row);
  return { rowCount, read: read.length, same: JSON.stringify(rows) === JSON.stringify(read), first: rows[0], seventh: read[6] };
};
`;

it('a run reads thousands of rows of PostgreSQL unchanged, at once and with a cursor', async () => {
  const id = await platform.skript('Many rows', { 'main.js': MAIN });
  const run = await platform.ended((await platform.startRun(id)).body.id);
  expect(run).toMatchObject({ action: 'end' });
  expect(run.output).toEqual({
    rowCount: 2_500,
    read: 2_500,
    same: true,
    first: { n: 1, even: false, text: 'naïve "row" 1\n', at: '2026-01-02T00:00:00.000Z' },
    seventh: { n: 7, even: false, text: null, at: '2026-01-08T00:00:00.000Z' },
  });
});
