import { tmpdir } from 'node:os';
import { trawl } from '../harness/hosted-trawl.js';
import { sharedPlatform } from '../harness/shared-platform.js';

const platform = sharedPlatform();
let env: Record<string, string>;

beforeAll(async () => {
  const developer = await platform.as('developer');
  const { body } = await developer('POST', '/joint-api/keys/addnew', { name: 'verdicts', scope: 'all' });
  env = { TRAWL_URL: platform.url, TRAWL_KEY: body.key };
});

const run = (skript: string, ...more: string[]) => trawl(['run', skript, ...more], { cwd: tmpdir(), env });

/** Loses all prices in the fifth run, as a scraper does when the shop changes its layout. */
const PRICES = `const { dataset, kv } = require('@trawl/storage');
module.exports = async () => {
  const runs = ((await kv.get('runs')) ?? 0) + 1;
  await kv.set('runs', runs);
  await dataset.push(Array.from({ length: 30 }, (_, n) => ({ sku: 'B' + n, price: runs === 5 ? '' : 10 + n })));
};`;

it('`trawl run` ends with exit code 7 and the findings if the rows of the run are broken', async () => {
  await platform.skript('Prices', { 'main.js': PRICES });
  for (let n = 0; n < 4; n++) {
    const { code, stderr } = await run('Prices');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rows of the run')]);
  }
  const { code, stderr } = await run('Prices');
  expect([code, stderr]).toEqual([7, expect.stringContaining('price was filled in 100 % of rows, now in 0 %.')]);
});

it('`trawl run --json` tells why Trawl does not judge a run that only changes documents', async () => {
  const main = `const { mongo } = require('@trawl/storage');
module.exports = async () => {
  await mongo.collection('seen').updateOne({ sku: 'B1' }, { $set: { at: Date.now() } }, { upsert: true });
};`;
  await platform.skript('Updates', { 'main.js': main });
  for (let n = 0; n < 3; n++) await run('Updates');
  const { verdict } = JSON.parse((await run('Updates', '--json')).stdout);
  expect(verdict).toEqual({
    level: 'new',
    reason: expect.stringContaining('The run changed 1 row in mongodb:seen.'),
    findings: [],
  });
});
