import { type BundleProblem, STOCK_LIBRARIES } from '@trawl/contracts';
import { MAX_WANTED, problemOf } from '@trawl/libraries';
import type { SourceFile } from './skript-contents.js';

const NAME = 'package.json';
/** They would change what is installed elsewhere, and do not here. */
const NOT_USED = ['optionalDependencies', 'peerDependencies', 'overrides', 'bundleDependencies', 'workspaces'];
/** Those of the stock that are made for runs: none of a registry could stand in for them. */
const OWN = STOCK_LIBRARIES.filter(name => /^(?:@trawl\/.+|puppeteer|puppeteer-core)$/.test(name)) as string[];

export type WantedLibraries =
  | { libraries: Record<string, string>; warnings: BundleProblem[] }
  | { problems: BundleProblem[] };

/** Which npm libraries a skript asks for in its package.json: `dependencies`, by their ranges. It need not have the file. */
export function readPackageFile(files: SourceFile[]): WantedLibraries {
  const file = files.find(({ name }) => name === NAME);
  if (!file) return { libraries: {}, warnings: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(file.content.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { problems: [libraryPlace(files, null, `package.json is no JSON: ${(error as Error).message}.`)] };
  }
  const { dependencies = {} } = isRecord(parsed) ? parsed : {};
  if (!isRecord(parsed) || !isRecord(dependencies)) {
    const message = 'package.json must be a JSON object, and its dependencies one of names and versions.';
    return { problems: [libraryPlace(files, null, message)] };
  }
  const wanted = Object.entries(dependencies).filter(([name]) => !OWN.includes(name));
  if (wanted.length > MAX_WANTED) {
    const message = `package.json names ${wanted.length} libraries; a skript may name ${MAX_WANTED}.`;
    return { problems: [libraryPlace(files, null, message)] };
  }
  const problems = wanted.flatMap(([name, range]) => {
    const message = problemOf(name, range);
    return message === null ? [] : [libraryPlace(files, name, message)];
  });
  if (problems.length > 0) return { problems };
  const unused = NOT_USED.filter(field => Object.hasOwn(parsed, field));
  const warnings = unused.map(field =>
    libraryPlace(files, field, `${field} in package.json is not looked at: only dependencies are installed.`),
  );
  return { libraries: Object.fromEntries(wanted) as Record<string, string>, warnings };
}

/** A problem of the package.json, where it names this library (such as `ms` or `ms@^9`), else at the file's beginning. */
export function libraryPlace(files: SourceFile[], library: string | null, message: string): BundleProblem {
  const content = files.find(({ name }) => name === NAME)?.content ?? '';
  const name = library?.replace(/(?<=.)@.*$/, '');
  const dependencies = Math.max(0, content.indexOf('"dependencies"'));
  const named = name ? content.indexOf(`${JSON.stringify(name)}`, dependencies) : -1;
  const elsewhere = name && named < 0 ? content.indexOf(JSON.stringify(name)) : named;
  const before = content.slice(0, Math.max(0, elsewhere)).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { message, file: NAME, line, column, line_text: (content.split('\n')[line - 1] ?? '').slice(0, 500) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
