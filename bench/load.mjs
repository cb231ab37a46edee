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
 * @property {() => string} [body] made anew for each request
 */

/**
 * Requests a second of each target, 50 connections kept alive: rounds in turn, so that whatever else the machine does
 * falls on all, after one round that does not count.
 * @template {string} Name
 * @param {Record<Name, Target>} targets
 * @returns {Promise<Record<Name, number[]>>} a figure for each round
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

/** @param {string} name @param {Target} target @param {number} seconds */
async function requestsPerSecond(name, { url, method = 'GET', headers, body }, seconds) {
  const result = await autocannon({
    url,
    method,
    connections: CONNECTIONS,
    duration: seconds,
    headers: body ? { 'content-type': 'application/json', ...headers } : headers,
    ...(body ? { requests: [{ setupRequest: request => ({ ...request, body: body() }) }] } : {}),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${name}: ${result.non2xx} answers were no success, ${result.errors} calls failed`);
  return result['2xx'] / result.duration;
}

/**
 * Prints the table of a route and the last line of its benchmark.
 * @param {string} bench
 * @param {{ trawl: number[], bare: number[], parse: number[] }} rates
 */
export function report(bench, rates) {
  const [trawl, bare, parse] = [median(rates.trawl), median(rates.bare), median(rates.parse)];
  const round = (/** @type {number} */ value) => Number(value.toFixed(2));
  console.table([
    {
      against: 'bare Nest, same statements',
      'requests/s': Math.round(bare),
      'Trawl requests/s': Math.round(trawl),
      ratio: round(trawl / bare),
      goal: 0.7,
    },
    {
      against: 'Parse Server',
      'requests/s': Math.round(parse),
      'Trawl requests/s': Math.round(trawl),
      ratio: round(trawl / parse),
      goal: 2,
    },
  ]);
  console.log(
    JSON.stringify({
      bench,
      ratio: round(trawl / bare),
      goal: 0.7,
      parse_server: { ratio: round(trawl / parse), goal: 2 },
    }),
  );
}
