// @ts-check
// How many breaks of real series of rows a verdict finds, and how often it calls an untouched run broken.
import { serialize } from 'bson';
import { judge, MAX_EARLIER, MIN_EARLIER } from '../../backend/dist/runs/executions/verdicts/judgement/judge.js';
import { newBudget } from '../../backend/dist/runs/executions/verdicts/profile/row-fields.js';
import { RowProfile } from '../../backend/dist/runs/executions/verdicts/profile/row-profile.js';
import { BREAKS } from './breaks.mjs';
import { allSeries, VERSIONS } from './series.mjs';

/** @typedef {import('./series.mjs').Row} Row */

const EARLIER = 5;
const MIN_ROWS = 20;
const GOAL_FOUND = 0.95;
const GOAL_FALSE = 1 / 200;

/** @param {number} seed */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {Row[]} rows */
function profileOf(rows) {
  const profile = new RowProfile('dataset', ['_id', '_run', '_at'], newBudget());
  for (const row of rows) {
    const bytes = Buffer.from(serialize(row));
    profile.add(bytes, 0, bytes.length);
  }
  return { targets: rows.length > 0 ? [profile.summary()] : [], skipped: [] };
}

/** @type {Record<string, { tried: number, broken: number, unusual: number }>} */
const found = Object.fromEntries(BREAKS.map(({ name }) => [name, { tried: 0, broken: 0, unusual: 0 }]));
const untouched = { judged: 0, ok: 0, unusual: 0, broken: 0 };
const random = randomOf(42);
const series = await allSeries();
for (const { name, versions } of series) {
  const profiles = versions.map(({ rows }) => profileOf(rows));
  const before = { ...untouched };
  let normalFrom = 0;
  for (const [index, profile] of profiles.entries()) {
    const earlier = profiles.slice(Math.max(normalFrom, index - MAX_EARLIER), index);
    if (earlier.length < MIN_EARLIER) continue;
    const { level, findings } = judge(profile, earlier);
    untouched.judged++;
    if (level === 'new') continue;
    untouched[level]++;
    if (level !== 'broken') continue;
    // A person looks at it and says that it is normal now.
    normalFrom = index;
    console.error(
      `${name}@${versions[index]?.version}: ${findings
        .map(({ text }) => text)
        .slice(0, 3)
        .join(' ')}`,
    );
  }
  console.error(
    `${name}: ${profiles.length} runs of about ${versions.at(-1)?.rows.length} rows, ${untouched.judged - before.judged} judged, ${untouched.broken - before.broken} broken, ${untouched.unusual - before.unusual} unusual`,
  );
  for (let index = EARLIER; index < profiles.length; index++) {
    const { rows } = versions[index] ?? { rows: [] };
    if (rows.length < MIN_ROWS) continue;
    const earlier = profiles.slice(index - EARLIER, index);
    for (const one of BREAKS) {
      const fields = one.fits && profiles[index]?.targets[0]?.fields.filter(one.fits);
      if (fields && fields.length === 0) continue;
      const path = fields?.[Math.floor(random() * fields.length)]?.path ?? '';
      const { level } = judge(profileOf(one.break(rows, path, random)), earlier);
      const counts = found[one.name];
      if (!counts) continue;
      counts.tried++;
      if (level === 'broken') counts.broken++;
      if (level === 'unusual') counts.unusual++;
      if (process.env.SHOW_MISSED && level !== 'broken') console.error('missed', name, index, one.name, path, level);
    }
  }
}

const share = (/** @type {number} */ part, /** @type {number} */ all) => Number((part / all).toFixed(4));
console.table(
  Object.fromEntries(
    Object.entries(found).map(([name, { tried, broken, unusual }]) => [
      name,
      { tried, broken: share(broken, tried), unusual: share(unusual, tried) },
    ]),
  ),
);
const tried = Object.values(found).reduce((sum, one) => sum + one.tried, 0);
const broken = Object.values(found).reduce((sum, one) => sum + one.broken, 0);
console.table({ untouched });
const whole = series.filter(({ versions }) => versions.length === VERSIONS).length;
console.log(`${whole} packages with ${VERSIONS} versions, and ${series.length - whole} with fewer`);
console.log(
  JSON.stringify({
    bench: 'verdict',
    better: 'higher',
    ratio: share(broken, tried),
    goal: GOAL_FOUND,
    untouched: { ratio: share(untouched.broken, untouched.judged), goal: GOAL_FALSE },
  }),
);
