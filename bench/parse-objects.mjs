// @ts-check
const BATCH = 50;

/**
 * Adds objects that only the user of the session can access.
 * @param {import('./servers.mjs').Server} parse
 * @param {string} className
 * @param {number} count
 * @param {(n: number) => object} make
 */
export async function addToParse(parse, className, count, make) {
  const ACL = await aclOf(parse);
  for (let from = 1; from <= count; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - from + 1) }, (_, at) => from + at);
    await Promise.all(numbers.map(n => parse.call('POST', `/classes/${className}`, { ...make(n), ACL })));
    if (from % 5_000 === 1) process.stderr.write(`Parse Server has ${from - 1} of ${count} objects\n`);
  }
}

/** @param {import('./servers.mjs').Server} parse */
export async function aclOf(parse) {
  const { objectId } = await parse.call('GET', '/users/me');
  return { [objectId]: { read: true, write: true } };
}
