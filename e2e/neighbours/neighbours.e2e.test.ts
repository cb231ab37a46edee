import { sharedPlatform } from '../harness/shared-platform.js';
import { until } from '../harness/until.js';
import { Account } from './account.js';
import { ATTACKS, type Attack } from './attacks.js';
import { Neighbour } from './neighbour.js';

/** Twelve packages with 21,000 files each take five minutes. */
const FULL_ATTACK_MS = 900_000;
/** These quotas are reached soon. */
const QUOTAS = { runs_at_once: 7, echo_bytes_per_day: 300_000 };

// An account may use only workers with a full sandbox.
const canBeFull = process.platform === 'linux' && process.getuid?.() === 0;

const platform = sharedPlatform();
let neighbour: Neighbour;

beforeAll(async () => {
  if (!canBeFull) return;
  await platform.startOwnWorker({ TRAWL_NPM_REGISTRY: platform.registryUrl });
  neighbour = await Neighbour.open(await openAccount());
});

async function openAccount(quotas?: Record<string, number>): Promise<Account> {
  const admin = await platform.as('admin');
  const account = await Account.open(platform.url, platform.workerId, admin, quotas);
  await admin('POST', `/joint-api/workers/${platform.workerId}/assignments/addnew`, { user_id: account.id });
  return account;
}

/** Attacks from one account while the other one uses the platform. Expects an error about the limit for each attack. */
async function attackBeside(attacks: Attack[]): Promise<void> {
  // Each attack has an account of its own: with a single one, its attacks would be in each other's way.
  const attackers = await Promise.all(attacks.map(() => openAccount(QUOTAS)));
  const underWay = attacks.map((attack, n) => attack.run(attackers[n] as Account, isFullTest));
  let isOver = false;
  const ended = Promise.allSettled(underWay).then(results => {
    isOver = true;
    return results;
  });
  do {
    await Promise.all([neighbour.list(), neighbour.run(), neighbour.build(), neighbour.query()]);
  } while (isFullTest && !isOver);
  const results = await ended;
  const got = attacks.map(({ name }, n) => ({ name, errors: errorsOf(results[n]) }));
  const expected = attacks.map(({ name, says }) => {
    return { name, errors: says ? expect.arrayContaining([expect.stringMatching(says)]) : [] };
  });
  expect(got).toEqual(expected);
}

const errorsOf = (result?: PromiseSettledResult<string[]>): string[] =>
  result?.status === 'fulfilled' ? result.value : [String(result?.reason)];

const whereFull = canBeFull ? describe : describe.skip;

whereFull(
  'while one account attacks, another one lists, runs, builds and queries, and the attacker gets an error',
  () => {
    if (isFullTest) test.each(ATTACKS)('$name', attack => attackBeside([attack]), FULL_ATTACK_MS);

    test('all attacks at the same time', () => attackBeside(ATTACKS), isFullTest ? FULL_ATTACK_MS : undefined);

    test('and all runs and echoes of the other account are saved', async () => {
      const { found, expected } = await until(async () => {
        const records = await neighbour.records();
        return JSON.stringify(records.found) === JSON.stringify(records.expected) && records;
      }, 'the echoes of all runs to be saved');
      expect(found).toEqual(expected);
    });
  },
);
