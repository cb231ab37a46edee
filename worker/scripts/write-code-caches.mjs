// Writes the code caches of the runner and of built-in libraries for the version of Node that runs this program. Reads
// the runner's file, and a list of the libraries' files and names, from stdin.
import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { cacheFile, compileCached, loadLibrary } from '../dist/runner/node/cached-library.js';

const { runner, libraries } = JSON.parse(readFileSync(0, 'utf8'));

// Many functions of a library are never called, so its cache holds those that are compiled while it loads.
for (const [file, name] of libraries) {
  writeFileSync(cacheFile(file), loadLibrary(file, name).script.createCachedData());
}

// V8 accepts a cache only with the flags that it has when the cache is written, so reset them before.
setFlagsFromString('--no-lazy');
const script = compileCached(runner, runner);
setFlagsFromString('--lazy');
writeFileSync(cacheFile(runner), script.createCachedData());
