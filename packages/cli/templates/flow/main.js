const { echo } = require('@trawl/echo');
const { dataset } = require('@trawl/storage');
const { FunctionFlow } = require('@trawl/functionflow');
const { withPage } = require('./totals.js');

/**
 * Each function gets `x`, the data, and returns the next one. `lib` has what the functions share.
 *
 * @param {{ pages: number, chars: number }} x
 * @param {{ url: string }} lib
 */
const readPage = async (x, lib) => {
  const response = await fetch(lib.url);
  return withPage(x, await response.text());
};

/**
 * @param {{ pages: number, chars: number }} x
 * @param {{ url: string }} lib
 */
const tell = async (x, lib) => {
  echo.log(`${x.pages} pages, ${x.chars} characters`);
  await dataset.push({ url: lib.url, ...x });
  return x;
};

/** @param {{ url: string, pages: number }} input */
module.exports = async ({ url, pages }) => {
  // With this emitter, the flow ends before its next function when somebody stops the run.
  /** @type {FunctionFlow<{ pages: number, chars: number }, { url: string }>} */
  const flow = new FunctionFlow({ msDelay: 500 }, trawl.eventEmitter);
  flow.xInject({ pages: 0, chars: 0 });
  flow.libInject({ url });
  await flow.serial([readPage, tell]);
  return flow.repeat(pages - 1);
};
