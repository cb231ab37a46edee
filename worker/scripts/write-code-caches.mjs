// Writes the code caches of built-in libraries for the version of Node that runs this program. Reads a list of their files
// and names from stdin. A cache holds all functions that are compiled while the library loads.
import { readFileSync, writeFileSync } from 'node:fs';
import { cacheFile, loadLibrary } from '../dist/runner/node/cached-library.js';

for (const [file, name] of JSON.parse(readFileSync(0, 'utf8'))) {
  writeFileSync(cacheFile(file), loadLibrary(file, name).script.createCachedData());
}
