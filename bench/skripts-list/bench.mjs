// @ts-check
// Throughput of GET /joint-api/skripts/list with a page of 50 of 10,000 skripts.
import pg from 'pg';
import { compareLoad, report } from '../load.mjs';
import { addToParse } from '../parse-objects.mjs';
import { startServers } from '../servers.mjs';

const SKRIPTS = 10_000;
const PAGE = 50;

const { trawl, bare, parse, ownerId, postgresUrl, stop } = await startServers('postgres');
try {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(
    `INSERT INTO skripts (id, owner_id, title, description, created_at)
     SELECT uuidv7(), $1, 'Skript ' || n, 'What skript ' || n || ' does.', now() - n * interval '1 minute' FROM generate_series(1, $2::int) n`,
    [ownerId, SKRIPTS],
  );
  await client.query(
    `INSERT INTO skript_files (id, skript_id, name, content, size)
     SELECT uuidv7(), id, name, 'module.exports = () => 1;', 25 FROM skripts, unnest(ARRAY['main.js', 'lib/parse.js', 'howto.md']) name
     WHERE owner_id = $1`,
    [ownerId],
  );
  await client.query('ANALYZE');
  await client.end();
  const files = ['howto.md', 'lib/parse.js', 'main.js'].map((name, n) => ({ id: `file-${n}`, name, size: 25 }));
  await addToParse(parse, 'Skript', SKRIPTS, n => ({
    title: `Skript ${n}`,
    description: `What skript ${n} does.`,
    thumbnail: '',
    category: 'general',
    environment: 'nodejs',
    worker_response_timeout: 180_000,
    time_limit_ms: 3_600_000,
    warm: false,
    retries: 0,
    retry_delay_ms: 0,
    howto: 'module.exports = () => 1;',
    tags: [],
    favourite: false,
    stale: true,
    files,
  }));
  const rates = await compareLoad({
    trawl: { url: `${trawl.url}/joint-api/skripts/list?limit=${PAGE}`, headers: trawl.headers },
    bare: { url: `${bare.url}/skripts/list?limit=${PAGE}`, headers: {} },
    parse: { url: `${parse.url}/classes/Skript?limit=${PAGE}&order=-objectId&count=1`, headers: parse.headers },
  });
  report('skripts-list', rates);
} finally {
  await stop();
}
