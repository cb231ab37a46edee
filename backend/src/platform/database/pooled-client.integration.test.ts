import { existsSync, readFileSync } from 'node:fs';
import { WatchedClient } from './pooled-client.js';

const canBePreferred = process.getuid?.() === 0 && existsSync('/proc/self/autogroup');

test.each([
  [true, canBePreferred ? -10 : 0],
  [false, 0],
])('a connection with isPreferred %p has a PostgreSQL process with nice %p', async (isPreferred, nice) => {
  const connectionString = process.env.TRAWL_TEST_POSTGRES_URL;
  const client = new WatchedClient({ connectionString, silenceMs: 60_000, isPreferred });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
    const group = `/proc/${rows[0].pid}/autogroup`;
    // Without Linux, or with PostgreSQL elsewhere, there is no such file, and connecting must work all the same.
    if (existsSync(group)) expect(readFileSync(group, 'utf8')).toMatch(new RegExp(`nice ${nice}$`, 'm'));
  } finally {
    await client.end();
  }
});
