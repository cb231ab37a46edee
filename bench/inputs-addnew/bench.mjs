// @ts-check
// Throughput of POST /joint-api/inputs/addnew, spread over 2,000 skripts.
import pg from 'pg';
import { compareLoad, report } from '../load.mjs';
import { aclOf, addToParse } from '../parse-objects.mjs';
import { startServers } from '../servers.mjs';

const SKRIPTS = 2_000;

const { trawl, bare, parse, ownerId, postgresUrl, stop } = await startServers('postgres');
try {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query(
    `INSERT INTO skripts (id, owner_id, title) SELECT uuidv7(), $1, 'Skript ' || n FROM generate_series(1, $2::int) n RETURNING id`,
    [ownerId, SKRIPTS],
  );
  await client.end();
  const val = { base_url: 'https://shop.example', pages: 20, categories: ['books', 'music'] };
  let count = 0;
  const input = () => {
    count += 1;
    return { skript_id: rows[count % SKRIPTS].id, name: `input-${count}.json`, val };
  };
  const ACL = await aclOf(parse);
  await addToParse(parse, 'Input', 1, () => ({ ...input() }));
  const rates = await compareLoad({
    trawl: {
      url: `${trawl.url}/joint-api/inputs/addnew`,
      method: 'POST',
      headers: trawl.headers,
      body: () => JSON.stringify(input()),
    },
    bare: { url: `${bare.url}/inputs/addnew`, method: 'POST', headers: {}, body: () => JSON.stringify(input()) },
    parse: {
      url: `${parse.url}/classes/Input`,
      method: 'POST',
      headers: parse.headers,
      body: () => JSON.stringify({ ...input(), ACL }),
    },
  });
  report('inputs-addnew', rates);
} finally {
  await stop();
}
