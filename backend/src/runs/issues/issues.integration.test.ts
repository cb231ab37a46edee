import { RUN_ERRORS } from '@trawl/contracts';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest } from '../../../test/test-worker.js';
import { IssuesRepository } from './issues.repository.js';
import { IssuesService } from './issues.service.js';

const { app, developer, admin } = appForFile();
const fleet = fleetForEachTest(app);

const stackOf = (message: string, frame = 'main.js:3:5') => `Error: ${message}\n    at parse (${frame})`;

/** Runs a skript that fails with these errors, one run each. Returns the ids of the runs. */
async function failures(stacks: string[], code = 'exception'): Promise<string[]> {
  const worker = await fleet.connect({ sandbox: 'full' });
  const ids: string[] = [];
  for (const error_stack of stacks) {
    const answer = fleet.start({}, 'wait_ms=60000&force=true');
    const { id } = await worker.offers.next();
    await worker.finish(id, { action: 'error', error_code: code, error_stack, output: null });
    await answer;
    ids.push(id);
  }
  return ids;
}

const count = () => app.part(IssuesService).countFailures();
const list = async (query = '', call = developer) =>
  (await call('GET', `/joint-api/issues/list?skript_id=${fleet.skriptId}${query}`)).body.items;

test('failures with the same cause are one issue, which knows its first and latest run', async () => {
  const ids = await failures([
    stackOf('page 1 is empty'),
    stackOf('page 2 is empty', 'main.js:4:5'),
    stackOf('no price'),
  ]);
  await count();
  const [other, issue] = await list();
  expect(other).toMatchObject({ message: 'Error: no price', runs: 1, status: 'open' });
  expect(issue).toMatchObject({
    skript: { id: fleet.skriptId },
    error_code: 'exception',
    message: 'Error: page 2 is empty',
    frame: 'parse (main.js:4:5)',
    runs: 2,
    first_run_id: ids[0],
    last_run_id: ids[1],
    first_version: expect.stringMatching(/^[0-9a-f]{64}$/),
    first_version_number: 1,
    last_version_number: 1,
    reopened_at: null,
  });
  const { body } = await developer('GET', `/joint-api/skript-execution/list?issue_id=${issue.id}`);
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]]);
  expect(body.items[0]).toMatchObject({ issue_id: issue.id, version_number: 1 });
});

test('several backends that count at the same time count each failure once', async () => {
  await failures(Array.from({ length: 12 }, (_, n) => stackOf(`page ${n}`)));
  await Promise.all([count(), count(), count()]);
  await count();
  expect(await list()).toMatchObject([{ runs: 12 }]);
});

test('a failure opens a resolved issue again, and leaves a muted issue muted', async () => {
  await failures([stackOf('a'), stackOf('b')]);
  await count();
  const [b, a] = await list();
  const set = (id: string, status: string) => developer('PUT', `/joint-api/issues/${id}`, { status });
  expect((await set(a.id, 'resolved')).body).toMatchObject({ status: 'resolved', runs: 1, first_version_number: 1 });
  await set(b.id, 'muted');
  await failures([stackOf('a'), stackOf('b')]);
  await count();
  expect(await list()).toMatchObject([
    { id: b.id, status: 'muted', runs: 2, reopened_at: null },
    {
      id: a.id,
      status: 'open',
      runs: 2,
      reopened_at: expect.any(String),
      reopened_version: a.first_version,
      reopened_version_number: 1,
    },
  ]);
  expect(await list('&status=muted')).toMatchObject([{ id: b.id }]);
});

test('runs that end well have no issue, and each error code can have one', async () => {
  const worker = await fleet.connect({ sandbox: 'full' });
  const answer = fleet.start({}, 'wait_ms=60000&force=true');
  const { id } = await worker.offers.next();
  await worker.finish(id);
  expect((await answer).body).toMatchObject({ action: 'end', issue_id: null });
  await count();
  expect(await list()).toEqual([]);
  expect(Object.keys(RUN_ERRORS)).toContain('exception');
});

test('an administrator lists the issues of all accounts; others may not', async () => {
  await failures([stackOf('x')]);
  await count();
  const all = `/joint-api/issues/list-all?skript_id=${fleet.skriptId}`;
  expect((await admin('GET', all)).body.items).toMatchObject([
    { message: 'Error: x', owner: { username: expect.any(String) } },
  ]);
  expect((await developer('GET', all)).status).toBe(403);
});

test('an issue is deleted with its last run, unless it is muted', async () => {
  const ids = await failures([stackOf('x'), stackOf('y')]);
  await count();
  const [muted] = await list();
  await developer('PUT', `/joint-api/issues/${muted.id}`, { status: 'muted' });
  for (const id of ids) await developer('DELETE', `/joint-api/skript-execution/${id}`);
  await app.part(IssuesRepository).deleteWithoutRuns();
  expect(await list()).toMatchObject([{ id: muted.id }]);
});

test('a failure from before the resolution that is counted later leaves the issue resolved', async () => {
  await failures([stackOf('x')]);
  await count();
  const [issue] = await list();
  await failures([stackOf('x')]);
  await developer('PUT', `/joint-api/issues/${issue.id}`, { status: 'resolved' });
  await count();
  expect(await list()).toMatchObject([{ status: 'resolved', runs: 2 }]);
});

/** Makes the backend count these runs again, as if it had not yet. */
async function forgetCounting(ids: string[]): Promise<void> {
  await app.sql('DELETE FROM issues WHERE skript_id = $1', [fleet.skriptId]);
  await app.sql('INSERT INTO failures (execution_id) SELECT unnest($1::uuid[]) ON CONFLICT DO NOTHING', [ids]);
}

test('a failed run without an error code, and one that is deleted before it is counted, stop no other', async () => {
  const ids = await failures([stackOf('x'), stackOf('y'), stackOf('z')]);
  await count();
  await app.sql('UPDATE executions SET error_code = NULL WHERE id = $1', [ids[0]]);
  await developer('DELETE', `/joint-api/skript-execution/${ids[1]}`);
  await forgetCounting(ids);
  await count();
  expect(await list()).toMatchObject([{ message: 'Error: z' }, { message: 'Error: x', error_code: 'process_ended' }]);
  expect(await app.sql('SELECT FROM failures WHERE execution_id = $1', [ids[1]])).toHaveLength(0);
});

test('a failure that PostgreSQL refuses is left out, and the others are counted', async () => {
  const ids = await failures([stackOf('x'), stackOf('y')]);
  await count();
  await app.sql('DELETE FROM issues WHERE skript_id = $1', [fleet.skriptId]);
  await app.sql(`ALTER TABLE issues ADD CONSTRAINT refuses CHECK (first_run_id <> '${ids[0]}')`);
  try {
    await forgetCounting(ids);
    await count();
  } finally {
    await app.sql('ALTER TABLE issues DROP CONSTRAINT refuses');
  }
  expect(await list()).toMatchObject([{ message: 'Error: y' }]);
});

test('an issue makes a notice when it is new and when it comes back, and none for further failures', async () => {
  const notices = async () =>
    (await developer('GET', '/joint-api/account/notices/list')).body.items
      .map(({ text }: { text: string }) => text)
      .filter((text: string) => text.includes('turbot'));
  const fail = async (times: number) => {
    const ids = await failures(Array.from({ length: times }, () => stackOf('turbot')));
    await count();
    return ids.at(-1);
  };
  await fail(2);
  const last = await fail(1);
  expect(await notices()).toEqual([expect.stringMatching(/^“.+” fails: Error: turbot$/)]);
  const [{ id }] = await list();
  await developer('PUT', `/joint-api/issues/${id}`, { status: 'resolved' });
  const again = await fail(1);
  expect(await notices()).toEqual([expect.stringMatching(/ fails again: Error: turbot$/), expect.any(String)]);
  const [newest] = (await developer('GET', '/joint-api/account/notices/list')).body.items;
  expect(newest).toMatchObject({ event: 'issue.opened', subject: { kind: 'issue', id: again } });
  expect(again).not.toBe(last);
});
