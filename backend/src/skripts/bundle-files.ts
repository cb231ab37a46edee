import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/** What an import in one of the user's files leads to: a file of the skript, something the run provides, or nothing. */
export type Resolution = { file: string } | { external: string } | { problem: string };

const MAX_NAMED = 30;
const EXTENSIONS = ['', '.js', '.json', '.mjs', '.cjs', '/index.js', '/index.json'];
const IMPORTABLE = /\.(js|mjs|cjs|json)$/;

/**
 * Resolves `specifier` as it stands in the file `importer`, against the names in `files` only.
 * @param libraries what the run may require, subpaths included.
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
      problem: `${shown} is a path of the machine. A skript can import its own files only: write it relative to this file, such as ./lib/parse.js.`,
    };
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier)) {
    return { problem: `${shown} is an address. Put the file into the skript and import it with ./ in front.` };
  }
  const sibling = EXTENSIONS.map(extension => `${specifier}${extension}`).find(name => files.has(name));
  if (sibling !== undefined) {
    return {
      problem: `${shown} is looked for among the libraries. To import the skript’s own file, write ${relativeTo(importer, sibling)}.`,
    };
  }
  return {
    problem: `The library ${shown} is not among those at hand (${libraries.slice(0, MAX_NAMED).join(', ')}, and the modules of Node.js). Name it in the file package.json of the skript: { "dependencies": { ${JSON.stringify(libraryOf(shown))}: "*" } }, with the version that you want.`,
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
    return { problem: `${shown} leads out of the skript. A skript can import its own files only.` };
  }
  const candidates = path === '.' ? ['index.js', 'index.json'] : EXTENSIONS.map(extension => `${path}${extension}`);
  const found = candidates.find(name => files.has(name));
  if (found !== undefined) {
    return IMPORTABLE.test(found)
      ? { file: found }
      : { problem: `${found} cannot be imported: a skript can import .js, .mjs, .cjs and .json files.` };
  }
  const lower = new Set(candidates.map(name => name.toLowerCase()));
  const similar = [...files.keys()].find(name => lower.has(name.toLowerCase()));
  return {
    problem: similar
      ? `The skript has no file ${path}, but it has ${similar}: upper and lower case count.`
      : `The skript has no file ${path}. Add it, or correct the import.`,
  };
}

/** Without what is asked for inside of it. */
const libraryOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function relativeTo(importer: string, name: string): string {
  const path = posix.relative(posix.dirname(importer), name);
  return path.startsWith('../') ? path : `./${path}`;
}
