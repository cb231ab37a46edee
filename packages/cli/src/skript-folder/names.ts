import { builtPart, privatePart, skippedPart } from '@trawl/contracts';

/** Folder beside main.js for what Trawl keeps on this computer, such as the storage of local runs. */
export const OWN_FOLDER = '.trawl';
/** Where `download --force` keeps local files that it replaces. */
export const BACKUPS = `${OWN_FOLDER}/backups`;
/** Where `download` writes the platform's files beside local ones that have changed, too. */
export const FROM_PLATFORM = `${OWN_FOLDER}/platform`;
/** Hashes that the folder and the platform had in common after the last upload or download. */
export const SYNC = `${OWN_FOLDER}/sync.json`;

const SYSTEM_FILE = /^(\.DS_Store|Thumbs\.db|desktop\.ini)$/i;
/** The records of runs, which are for tests. */
const RECORD = /^records\/[^/]+\.record(\.json)?$/i;
/** Names that Windows reserves for devices, and characters that it forbids. */
const FORBIDDEN = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\p{Cc}|[\u2028\u2029\\:*?"<>|]|^\s|[\s.]$/iu;

export const INPUT = /^input(?!secret)[^/]*\.json$/i;
export const INPUT_SECRET = /^inputSecret[^/]*\.json$/i;
export const MANIFEST = 'manifest.json';

/** Returns the folder or file of a path that stays on this computer; null if there is none. */
export const localPart = (path: string): string | null => skippedPart(path) ?? generatedPart(path);

/** Returns the folder or file of a path that a build or the operating system writes; null if there is none. */
const generatedPart = (path: string): string | null =>
  builtPart(path) ?? RECORD.exec(path)?.[0] ?? (SYSTEM_FILE.test(path.split('/').at(-1) ?? '') ? path : null);

/**
 * Returns whether a name from the platform is a relative path that stays in its folder on every system, and that
 * replaces none of the files that decide what programs on this computer do.
 */
export function isSafePath(name: string): boolean {
  const parts = name.split('/');
  return (
    name.length <= 300 &&
    parts.every(part => part !== '' && part !== '.' && part !== '..' && !FORBIDDEN.test(part)) &&
    privatePart(name) === null &&
    generatedPart(name) === null
  );
}

/** Returns whether a title can be the name of a folder. */
export const isFolderName = (title: string): boolean => !title.includes('/') && isSafePath(title);
