/** Starts children that are always busy, each in a session of its own, because the kernel's autogroups share the processors between sessions. */
export const BUSY_CHILDREN = `const { spawn } = require('node:child_process');
module.exports = ({ children }) => {
  for (let n = 0; n < children; n += 1) spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore', detached: true });
  return new Promise(() => setInterval(() => {}, 1_000));
};`;

export const BUSY = `module.exports = async ({ ms }) => {
  for (const end = Date.now() + ms; Date.now() < end; ) await new Promise(setImmediate);
};`;

/** Starts programs that each listen on 2,000 ports. */
export const BIND_PORTS = `const { spawn } = require('node:child_process');
const LISTEN = "const first = Number(process.argv[1]); for (let n = 0; n < 2000; n += 1) require('node:net').createServer().listen(first + n);";
module.exports = ({ programs }) => {
  for (let n = 0; n < programs; n += 1) spawn(process.execPath, ['-e', LISTEN, String(2_000 * (n + 1))], { stdio: 'ignore' });
  return new Promise(() => setInterval(() => {}, 1_000));
};`;

export const SLEEPS = 'module.exports = ({ ms }) => new Promise(resolve => setTimeout(resolve, ms));';

/** Echoes texts that hardly compress. */
export const ECHOES = `const { echo } = require('@trawl/echo');
const { randomBytes } = require('node:crypto');
module.exports = async ({ echoes, chars }) => {
  for (let n = 0; n < echoes; n += 1) {
    echo.log(randomBytes(chars).toString('base64').slice(0, chars));
    if (n % 500 === 0) await new Promise(setImmediate);
  }
};`;

export const OPEN_FILES = `const { openSync } = require('node:fs');
module.exports = () => {
  for (let n = 0; n < 1_000_000; n += 1) openSync('/dev/null', 'r');
};`;

/**
 * Fills queues with requests to hosts of their own, takes all that a run may have, and leaves them when it ends. Then adds an
 * address of 1 MB, or begins more queues than an account may have.
 */
export const QUEUES = `const { queue } = require('@trawl/storage');
const addresses = round => Array.from({ length: 1_000 }, (_, n) => 'https://shop' + n + '-' + round + '.example/');
module.exports = async ({ rounds, queues }) => {
  for (let round = 0; round < rounds; round += 1) {
    const pages = queue('attack-' + (round % 10));
    await Promise.all([pages.add(addresses(round)), pages.add(addresses(round)), pages.takeNow(1_000), pages.takeNow(1_000)]);
    if (round % 10 === 9) await pages.drop();
  }
  for (let n = 0; n < queues; n += 1) await queue('attack-' + n).add('https://shop.example/' + n);
  await queue('attack-0').add('https://shop.example/' + 'a'.repeat(1_000_000));
};`;

/**
 * Adds pages of its own to a queue that several runs share, in calls of 1,000, and takes and settles as many at the same time
 * without a pause.
 */
export const LARGE_QUEUE = `const { queue } = require('@trawl/storage');
module.exports = async ({ run, pages: count }) => {
  const pages = queue('attack-0');
  let done = 0;
  let hasAdded = false;
  const add = async () => {
    for (let from = 0; from < count; from += 1_000)
      await pages.add(Array.from({ length: 1_000 }, (_, n) => 'https://shop' + (n % 50) + '.example/' + run + '/' + (from + n)));
    hasAdded = true;
  };
  const take = async () => {
    for (;;) {
      const wasLast = hasAdded;
      const { requests, isOpen } = await pages.takeNow(500);
      await Promise.all(requests.map(request => pages.done(request)));
      done += requests.length;
      if (wasLast && requests.length === 0 && !isOpen) return;
    }
  };
  await Promise.all([add(), take(), take()]);
  return { done };
};`;
