// @ts-check
import autocannon from 'autocannon';
import { median } from './platform.mjs';

const CONNECTIONS = 50;
const ROUND_S = 5;
const ROUNDS = 5;

/**
 * @typedef {object} Target
 * @property {string} url
 * @property {'GET' | 'POST'} [method]
 * @property {Record<string, string>} headers
 * @property {() => string} [body] creates the body of a request
 */

/**
 * Measures requests per second of each target over 50 keep-alive connections. After a warm-up the targets take turns,
 * so that other load on the machine affects all of them.
 * @template {string} Name
 * @param {Record<Name, Target>} targets
 * @returns {Promise<Record<Name, number[]>>} a rate for each round
 */
export async function compareLoad(targets) {
  const names = /** @type {Name[]} */ (Object.keys(targets));
  const rates = /** @type {Record<Name, number[]>} */ (
    /** @type {unknown} */ (Object.fromEntries(names.map(name => [name, []])))
  );
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of names) {
      const rate = await requestsPerSecond(name, targets[name], round === 0 ? 2 : ROUND_S);
      if (round > 0) rates[name].push(rate);
      process.stderr.write(
        `${round === 0 ? 'warm-up' : `round ${round} of ${ROUNDS}`}, ${name}: ${Math.round(rate)} requests/s\n`,
      );
    }
  }
  return rates;
}

/**
 * Measures requests per second over 50 keep-alive connections.
 * @param {string} name for errors @param {Target} target @param {number} seconds
 */
export async function requestsPerSecond(name, { url, method = 'GET', headers, body }, seconds) {
  const result = await autocannon({
    url,
    method,
    connections: CONNECTIONS,
    duration: seconds,
    headers: body ? { 'content-type': 'application/json', ...headers } : headers,
    ...(body ? { requests: [{ setupRequest: request => ({ ...request, body: body() }) }] } : {}),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} error responses, ${result.errors} failed calls`);
  return result['2xx'] / result.duration;
}

/**
 * Prints the result of a route as a table and as JSON.
 * @param {string} bench
 * @param {{ trawl: number[], bare: number[], parse: number[] }} rates
 */
export function report(bench, rates) {
  const [trawl, bare, parse] = [median(rates.trawl), median(rates.bare), median(rates.parse)];
  const round = (/** @type {number} */ value) => Number(value.toFixed(2));
  console.table([
    {
      baseline: 'bare Nest, same statements',
      'requests/s': Math.round(bare),
      'Trawl requests/s': Math.round(trawl),
      ratio: round(trawl / bare),
      goal: 0.7,
      better: 'higher',
    },
    {
      baseline: 'Parse Server',
      'requests/s': Math.round(parse),
      'Trawl requests/s': Math.round(trawl),
      ratio: round(trawl / parse),
      goal: 2,
      better: 'higher',
    },
  ]);
  console.log(
    JSON.stringify({
      bench,
      ratio: round(trawl / bare),
      goal: 0.7,
      better: 'higher',
      parse_server: { ratio: round(trawl / parse), goal: 2, better: 'higher' },
    }),
  );
}

/**
 * Returns a function that starts runs through the API, each of them until it has ended, and returns the runs per second.
 * It throws if a call answers anything else.
 * @param {string} url @param {string} token @param {string} skriptId
 */
export function apiRuns(url, token, skriptId) {
  return async (/** @type {number} */ clients, /** @type {number} */ seconds) => {
    const result = await autocannon({
      url: `${url}/joint-api/execute-skript/single-worker/start?force=true`,
      method: 'POST',
      connections: clients,
      duration: seconds,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ worker_id: 'any', skript_id: skriptId }),
      verifyBody: body => JSON.parse(String(body)).action === 'end',
    });
    const bad = result.non2xx + result.errors + result.mismatches;
    if (bad > 0) throw new Error(`${bad} calls did not return a run with the action end`);
    return result['2xx'] / result.duration;
  };
}
