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
 * Loads a built-in library with its code cache.
 *
 * @param name the library's file for a skript, such as `axios/index.js`
 */
export const loadLibrary = (file: string, name: string): CachedModule => loadCached(file, LIBRARY_PREFIX + name);

interface CachedModule {
  exports: unknown;
  script: Script;
}

/**
 * Loads a CommonJS file with the code cache that the build has written beside it for this version of Node.
 *
 * @param filename the name under which V8 knows the file
 */
export function loadCached(file: string, filename: string): CachedModule {
  const script = compileCached(file, filename);
  const module = { exports: {} };
  script.runInThisContext().call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return { exports: module.exports, script };
}

/** Compiles a CommonJS file, or takes the code from its code cache. */
export function compileCached(file: string, filename: string): Script {
  const cachedData = cacheOf(file);
  return new Script(Module.wrap(readFileSync(file, 'utf8')), {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData && { cachedData }),
  });
}

/** Path of the code cache of a file for this version of Node. */
export const cacheFile = (file: string): string => `${file}.${process.version}.cache`;

function cacheOf(file: string): Buffer | null {
  try {
    return readFileSync(cacheFile(file));
  } catch {
    // The build is just about to write it, or did not have this version of Node.
    return null;
  }
}
