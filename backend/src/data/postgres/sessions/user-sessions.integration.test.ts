import { appForFile } from '../../../../test/test-app.js';
import { Session } from './session.js';

const { developer } = appForFile();

const run = async (sql: string) =>
  (await developer('POST', '/joint-api/postgres/query', { sql, read_only: false })).body.rows?.[0];
/** Returns the process of the session and what an earlier call has left in it, then leaves something itself. */
const leaveMark = () =>
  run(
    `SELECT pg_backend_pid(), nullif(current_setting('left.mark', true), ''), set_config('left.mark', 'here', false)`,
  );

/** Lets the resets of sessions continue that a test holds back. */
let reset = () => {};
afterEach(() => {
  reset();
  jest.restoreAllMocks();
});

it('a SQL call is answered before its session is reset, and the next call gets the session only afterwards', async () => {
  const { release } = Session.prototype;
  const isReset = new Promise<void>(resolve => {
    reset = resolve;
  });
  const released: Promise<void>[] = [];
  jest.spyOn(Session.prototype, 'release').mockImplementation(function (this: Session) {
    const done = isReset.then(() => release.call(this));
    released.push(done);
    return done;
  });
  const first = await leaveMark();
  const second = await leaveMark();
  expect(second[0]).not.toBe(first[0]);
  reset();
  await Promise.all(released);
  expect([first, second]).toContainEqual([(await leaveMark())[0], null, 'here']);
});

it('SQL calls that share a session never see settings that an earlier call left', async () => {
  const seen = await Promise.all(Array.from({ length: 60 }, leaveMark));
  expect(new Set(seen.map(([pid]) => pid)).size).toBeLessThanOrEqual(3);
  expect(seen.map(([, mark]) => mark)).toEqual(seen.map(() => null));
});

it('a SQL call that fails has released its locks when its error is reported', async () => {
  await run('CREATE TABLE locked (n int)');
  expect(await run('DO $$ BEGIN LOCK TABLE locked; PERFORM 1 / 0; END $$')).toBeUndefined();
  expect(await run(`SELECT count(*)::int FROM pg_locks WHERE relation = 'locked'::regclass`)).toEqual([0]);
});
