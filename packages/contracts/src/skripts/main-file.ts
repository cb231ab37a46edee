/** The names that the file in which a run starts may have. A skript has exactly one of them. */
const MAIN_FILES = ['main.js', 'main.mjs', 'main.cjs', 'main.ts', 'main.mts'];

/** Endings of the files that a skript can import, in the order in which they are added to a path without one. */
export const UNTYPED_ENDINGS = ['.js', '.json', '.mjs', '.cjs', '.jsx'];
export const TYPED_ENDINGS = ['.ts', '.tsx', '.mts', '.cts'];

/** Matches the names of files that a skript can import as code. Declarations of types are code, too. */
const CODE = /\.[cm]?[jt]sx?$/;

/** Returns whether a file is code by its name. */
export const isCode = (name: string): boolean => CODE.test(name);

export const isMainFile = (name: string): boolean => MAIN_FILES.includes(name);

/** Returns which of these files a run could start in. */
export const mainFilesIn = (names: Iterable<string>): string[] => [...names].filter(isMainFile).sort();

/** Says that a skript has several files in which a run could start. */
export const severalMainFiles = (names: readonly string[]): string =>
  `The skript has ${names.slice(0, -1).join(', ')} and ${names.at(-1)}, but a run starts in one file. Remove or rename the others.`;
