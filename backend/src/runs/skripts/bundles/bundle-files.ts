import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/** Target of an import: a file of the skript, a module that is available during the run, or a problem. */
export type Resolution = { file: string } | { external: string } | { problem: string };

const MAX_NAMED = 30;
const EXTENSIONS = ['', '.js', '.json', '.mjs', '.cjs', '/index.js', '/index.json'];
const IMPORTABLE = /\.(js|mjs|cjs|json)$/;

/**
 * Finds the target of `import 'specifier'` in the file `importer`. Looks only at the names in `files`, not at the disk.
 * @param libraries modules that are available during the run, including their subpaths.
 */
export function resolveImport(
  specifier: string,
  importer: string,
  files: { has(name: string): boolean; keys(): Iterable<string> },
  libraries: readonly string[],
): Resolution {
  const shown = specifier.slice(0, 200);
  if (specifier.startsWith('./') || specifier.startsWith('../') || specifier === '.' || specifier === '..') {
    return resolveFile(specifier, importer, files);
  }
  if (isBuiltin(specifier)) return { external: specifier };
  if (libraries.some(library => specifier === library || specifier.startsWith(`${library}/`)))
    return { external: specifier };
  if (specifier.startsWith('/') || /^[a-z]:[\\/]/i.test(specifier)) {
    return {
      problem: `${shown} is an absolute path. A skript can import only its own files: use a path relative to this file, such as ./lib/parse.js.`,
    };
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) {
    return { problem: `${shown} is a URL. Add the file to the skript and import it with ./ in front.` };
  }
  const sibling = EXTENSIONS.map(extension => `${specifier}${extension}`).find(name => files.has(name));
  if (sibling !== undefined) {
    return {
      problem: `${shown} names a library. To import the skript’s own file, write ${relativeTo(importer, sibling)}.`,
    };
  }
  return {
    problem: `The library ${shown} is not available. Add it to the skript’s package.json with the version you want: { "dependencies": { ${JSON.stringify(libraryOf(shown))}: "*" } }. Available without it: ${libraries.slice(0, MAX_NAMED).join(', ')} and the modules of Node.js.`,
  };
}

function resolveFile(
  specifier: string,
  importer: string,
  files: { has(name: string): boolean; keys(): Iterable<string> },
): Resolution {
  const shown = specifier.slice(0, 200);
  const path = posix.join(posix.dirname(importer), specifier).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../')) {
    return { problem: `${shown} is outside the skript. A skript can import only its own files.` };
  }
  const candidates = path === '.' ? ['index.js', 'index.json'] : EXTENSIONS.map(extension => `${path}${extension}`);
  const found = candidates.find(name => files.has(name));
  if (found !== undefined) {
    return IMPORTABLE.test(found)
      ? { file: found }
      : { problem: `${found} cannot be imported. A skript can import .js, .mjs, .cjs and .json files.` };
  }
  const lower = new Set(candidates.map(name => name.toLowerCase()));
  const similar = [...files.keys()].find(name => lower.has(name.toLowerCase()));
  return {
    problem: similar
      ? `The skript has no file ${path}. Did you mean ${similar}? Names are case-sensitive.`
      : `The skript has no file ${path}. Add it or correct the import.`,
  };
}

/** The library's name without a subpath. */
const libraryOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function relativeTo(importer: string, name: string): string {
  const path = posix.relative(posix.dirname(importer), name);
  return path.startsWith('../') ? path : `./${path}`;
}
