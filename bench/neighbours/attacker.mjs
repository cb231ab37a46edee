// @ts-check
// The attacking accounts of the benchmark `neighbours`, one for each attack. They are a process of their own, because the texts that it sends would
// otherwise keep the client busy whose calls are timed.
import { Account } from '../../e2e/dist/neighbours/account.js';
import { ATTACKS } from '../../e2e/dist/neighbours/attacks.js';
import { apiOf } from '../platform.mjs';

/** These quotas would stop an attack that is repeated. */
const QUOTAS = { echo_bytes_per_day: 0, runs_per_day: 0, skripts: 0, file_bytes: 0 };

const [url = '', dataDir = '', workerId = '', wanted = ''] = process.argv.slice(2);
const { call } = await apiOf(url, dataDir, 'admin');
/** @type {import('../../e2e/dist/harness/platform-client.js').Api} */
const admin = async (method, path, body) => ({
  status: 201,
  body: await call(method, path, /** @type {object} */ (body)),
});

let isOver = false;
for (const event of ['message', 'disconnect']) {
  process.once(event, () => {
    isOver = true;
  });
}
/** @type {Set<string>} */
const failures = new Set();
await Promise.all(
  ATTACKS.filter(({ name, keepsAllRuns }) => (wanted === '' ? !keepsAllRuns : name === wanted)).map(
    async ({ name, run }) => {
      // With one account for all, each attack would wait for calls and runs of the others, and most would never begin.
      const attacker = await Account.open(url, workerId, admin, QUOTAS);
      while (!isOver) await run(attacker, true).catch(error => failures.add(`${name}: ${error.message}`));
    },
  ),
);
for (const failure of failures) console.error(failure);
if (process.connected) process.disconnect();
