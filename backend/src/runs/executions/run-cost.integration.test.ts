import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { appForFile } from '../../../test/test-app.js';
import { chunkOfFinish, fleetForEachTest } from '../../../test/test-worker.js';

const { app, developer } = appForFile();
const fleet = fleetForEachTest(app);

/** Collects the statements that the backend sends to PostgreSQL from now on. */
function collectStatements(): string[] {
  const statements: string[] = [];
  const pool = (app.part(DataSource).driver as unknown as { master: NodeJS.EventEmitter }).master;
  const watched = new WeakSet<PoolClient>();
  pool.on('acquire', (client: PoolClient) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query as (...args: unknown[]) => unknown;
    client.query = ((...args: [{ text: string } | string, ...unknown[]]) => {
      const [first] = args;
      statements.push(typeof first === 'string' ? first : first.text);
      return query.apply(client, args);
    }) as typeof client.query;
  });
  return statements;
}

it('a run that starts at once costs three statements: its start, its end and its echoes', async () => {
  await developer('POST', `/joint-api/skripts/${fleet.skriptId}/bundle`);
  const worker = await fleet.connect({ sandbox: 'full', slots: 8 });
  const run = async () => {
    const answer = fleet.start({}, 'wait_ms=60000');
    const { id } = await worker.offers.next();
    const measured = {
      usage: [{ at_s: 4, cpu_percent: null, memory_mb: 90 }],
      requests: [{ host: 'shop.example', count: 60 }],
    };
    await worker.finish(id, { last_seq: 2, last_chunk: 1, chunk: chunkOfFinish(1, 1, ['a', 'b']), ...measured });
    expect((await answer).body).toMatchObject({ id, action: 'end' });
  };
  // The first run fills the caches.
  await run();
  const statements = collectStatements();
  const rounds: string[][] = [];
  const lookUps: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    statements.length = 0;
    await run();
    lookUps.push(...statements.filter(text => text.includes(' AS of, id')));
    // The audit log writes the entries of many calls with one statement.
    rounds.push(statements.filter(text => !text.includes('INSERT INTO audit_log')));
  }
  // Looks for due work add statements to some of the rounds.
  const [fewest] = rounds.sort((a, b) => a.length - b.length);
  expect(fewest).toHaveLength(3);
  // The answer to a start has the name that the audit log keeps.
  expect(lookUps).toEqual([]);
});

/** Number of times after which PostgreSQL considers a plan that fits any parameters. */
const CUSTOM_PLANS = 5;

it('PostgreSQL does not plan prepared statements again and again', async () => {
  await developer('POST', `/joint-api/skripts/${fleet.skriptId}/bundle`);
  const worker = await fleet.connect({ sandbox: 'full', slots: 8 });
  const { master } = app.part(DataSource).driver as unknown as { master: { _clients: PoolClient[] } };
  const planned = async (): Promise<{ name: string; generic: number; custom: number }[]> => {
    const ofClients = await Promise.all(
      master._clients.map(client =>
        client.query(
          'SELECT name, generic_plans::int AS generic, custom_plans::int AS custom FROM pg_prepared_statements',
        ),
      ),
    );
    return ofClients.flatMap(({ rows }) => rows);
  };
  for (let round = 0; round < 12; round += 1) {
    const answer = fleet.start({}, 'wait_ms=60000');
    const { id } = await worker.offers.next();
    await worker.finish(id, { last_seq: 0, last_chunk: 0 });
    await answer;
    await developer('GET', `/joint-api/skript-execution/${id}`);
  }
  const used = (await planned()).filter(({ generic, custom }) => generic + custom > CUSTOM_PLANS);
  expect(used.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['insert of runs', 'end of runs', 'executions of ids']),
  );
  expect(used.filter(({ custom }) => custom > CUSTOM_PLANS)).toEqual([]);
});
