// Changes what the next run loads: the runner, the libraries, Node itself, files that they read at start.
// All of it is read-only.
// ends: end []
const { appendFileSync, chmodSync, readdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const got = require('../got.js');

module.exports = () => {
  const runner = require.main?.filename ?? process.argv[1];
  const library = require.resolve ? require.resolve('cheerio') : join(dirname(runner), 'node_modules');
  return got({
    'the runner': () => appendFileSync(runner, '\n'),
    'its name': () => renameSync(runner, `${runner}.old`),
    'its rights': () => chmodSync(runner, 0o777),
    'a file beside it': () => writeFileSync(join(dirname(runner), 'new.js'), ''),
    'a library': () => appendFileSync(library, '\n'),
    'a new library': () => writeFileSync(join(dirname(runner), 'node_modules', 'evil.js'), ''),
    'Node itself': () => appendFileSync(process.execPath, '\n'),
    'Node away': () => rmSync(process.execPath),
    'libraries of others': () => writeFileSync('/trawl/libraries/new', ''),
    'a list of them': () => readdirSync('/trawl/libraries').length > 0,
    'above all folders': () => writeFileSync('/node_modules', ''),
    'what is loaded first': () => writeFileSync('/etc/ld.so.preload', ''),
  });
};
