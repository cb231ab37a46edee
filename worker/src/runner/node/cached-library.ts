import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

/**
 * V8 knows the code of built-in libraries by this prefix and a name such as `axios/index.js`. These names are the same on
 * each machine, because Node 20 takes the name of a script from its code cache.
 */
export const LIBRARY_PREFIX = '/trawl/built-in/';

/**
 * Loads a built-in library with the code cache that the build has written beside `file` for this version of Node.
 *
 * @param name the library's file for a skript, such as `axios/index.js`
 */
export function loadLibrary(file: string, name: string): { exports: unknown; script: Script } {
  const cachedData = cacheOf(file);
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), {
    filename: LIBRARY_PREFIX + name,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext().call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return { exports: module.exports, script };
}

/** Path of the code cache for this version of Node, beside a library's file. */
export const cacheFile = (file: string): string => `${file}.${process.version}.cache`;

function cacheOf(file: string): Buffer | null {
  try {
    return readFileSync(cacheFile(file));
  } catch {
    // The build is just about to write it, or did not have this version of Node.
    return null;
  }
}
