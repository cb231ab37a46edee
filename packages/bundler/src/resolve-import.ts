import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { loaderOf, namesFor } from './code-files.js';
import type { SkriptFiles } from './skript-files.js';

/** Target of an import: a file of the skript, a module that is available during the run, or a problem. */
export type Resolution = { file: string } | { external: string } | { problem: string };

const MAX_NAMED = 30;
/** Modules of the Node of runs that an older Node, which may build the bundle, does not have. */
const NEWER_MODULES = ['node:sqlite'];
const IMPORTABLE = 'A skript can import JavaScript, TypeScript and JSON files.';

type FileNames = Pick<SkriptFiles, 'has' | 'keys'>;

export interface Importable {
  files: FileNames;
  /** Modules that are available during the run, including their subpaths. */
  libraries: readonly string[];
  /** Returns the paths inside the skript that tsconfig.json or package.json give to a name, best first. */
  pathsOf(specifier: string): string[];
}

/** Finds the target of `import 'specifier'` in the file `importer`. Looks only at the names of files, not at the disk. */
export function resolveImport(
  specifier: string,
  importer: string,
  { files, libraries, pathsOf }: Importable,
): Resolution {
  const shown = specifier.slice(0, 200);
  // As in Node and TypeScript, no setting replaces a module of Node.
  if (isBuiltin(specifier) || NEWER_MODULES.includes(specifier)) return { external: specifier };
  for (const path of pathsOf(specifier)) {
    const found = candidatesOf(path, importer).find(name => files.has(name));
    if (found !== undefined) return fileOf(found);
  }
  if (specifier.startsWith('./') || specifier.startsWith('../') || specifier === '.' || specifier === '..') {
    return resolveFile(specifier, importer, files);
  }
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
  const sibling = candidatesOf(specifier, importer).find(name => files.has(name));
  if (sibling !== undefined) {
    return {
      problem: `${shown} names a library. To import the skript’s own file, write ${relativeTo(importer, sibling)}.`,
    };
  }
  return {
    problem: `The library ${shown} is not available. ${howToAdd(libraryOf(shown))} Available without it: ${libraries.slice(0, MAX_NAMED).join(', ')} and the modules of Node.js.`,
  };
}

function resolveFile(specifier: string, importer: string, files: FileNames): Resolution {
  const shown = specifier.slice(0, 200);
  const path = posix.join(posix.dirname(importer), specifier).replace(/\/$/, '');
  if (path === '..' || path.startsWith('../')) {
    return { problem: `${shown} is outside the skript. A skript can import only its own files.` };
  }
  const candidates = candidatesOf(path, importer);
  const found = candidates.find(name => files.has(name));
  if (found !== undefined) return fileOf(found);
  const lower = new Set(candidates.map(name => name.toLowerCase()));
  const similar = [...files.keys()].find(name => lower.has(name.toLowerCase()));
  return {
    problem: similar
      ? `The skript has no file ${path}. Did you mean ${similar}? Names are case-sensitive.`
      : `The skript has no file ${path}. Add it or correct the import.`,
  };
}

/** Returns the names of the files for which a path inside the skript may stand, best first. */
const candidatesOf = (path: string, importer: string): string[] =>
  namesFor(path, importer).map(name => posix.normalize(name));

const fileOf = (name: string): Resolution =>
  loaderOf(name) === undefined ? { problem: `${name} cannot be imported. ${IMPORTABLE}` } : { file: name };

/** Versions of the libraries that the older platform gave to every skript, and that a run of Trawl has not. */
const OLDER_VERSIONS: Record<string, string> = {
  commander: '^6.0.0',
  inquirer: '^7.3.3',
  lodash: '^4.17.21',
  mongoose: '^5.10.2',
};

function howToAdd(library: string): string {
  const older = Object.hasOwn(OLDER_VERSIONS, library) ? OLDER_VERSIONS[library] : undefined;
  const entry = `{ "dependencies": { "${library}": "${older}" } }`;
  const advice = `Run npm install ${library}, or add it to dependencies in package.json with the version you want.`;
  return older === undefined ? advice : `${advice} The older platform had ${entry}.`;
}

/** The library's name without a subpath. */
const libraryOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function relativeTo(importer: string, name: string): string {
  const path = posix.relative(posix.dirname(importer), name);
  return path.startsWith('../') ? path : `./${path}`;
}
