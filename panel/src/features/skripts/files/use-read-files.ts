import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { CodeFile, LibraryTypes } from '@trawl/type-check';
import type { Skript } from '../../../api/entities.js';
import { versionQuery } from '../../../api/requests/get-skript.js';
import { inputsQuery } from '../../../api/requests/inputs/list-inputs.js';
import { libraryTypesQuery } from './api/get-library-types.js';
import { skriptFileQuery } from './api/get-skript-file.js';
import type { Drafts } from './use-drafts.js';

/** Longer files are libraries in one file, which TypeScript would take seconds to read. */
export const MAX_CHARS = 300_000;
/** Files that the editor reads one by one, to suggest their names and values in other files. */
const MOST_FILES_READ = 50;

/** Files of a skript for TypeScript. */
export interface ReadFiles {
  files: CodeFile[];
  /** Names of the others, which code may import too. */
  unread: string[];
  /** Types of the npm libraries. They arrive later than the files. */
  libraries: Promise<LibraryTypes>;
}

const PACKAGE_FILE = 'package.json';

const isRead = (name: string, chars: number): boolean => /\.(?:[cm]?[jt]sx?|json)$/.test(name) && chars <= MAX_CHARS;

/** Resolves with the names under which code may import what the skript stores outside its files. */
async function storedNames(queryClient: QueryClient, skriptId: string): Promise<string[]> {
  const { items } = await queryClient.fetchQuery(inputsQuery(skriptId));
  return ['manifest.json', ...items.map(({ name }) => name)];
}

/** Resolves with the types of the npm libraries in the saved `package.json`. Never rejects. */
async function librariesOf(queryClient: QueryClient, skriptId: string, packageFile: string): Promise<LibraryTypes> {
  const key = `${skriptId} ${packageFile}`;
  if (packageFile === '') return { key: '', files: [], left_out: [] };
  try {
    return { key, ...(await queryClient.fetchQuery(libraryTypesQuery(skriptId, packageFile))) };
  } catch (error) {
    const reason = `The editor does not know the types of this library. ${error instanceof Error ? error.message : ''}`;
    const left_out = dependenciesIn(packageFile).map(library => ({ library, reason }));
    return { key: `${key} failed`, files: [], left_out };
  }
}

/** Returns the names of the libraries in `package.json`; none if it is invalid. */
function dependenciesIn(packageFile: string): string[] {
  try {
    return Object.keys(Object(JSON.parse(packageFile).dependencies));
  } catch {
    return [];
  }
}

/** Returns a function that reads the files that code may import, with unsaved changes, all but the given one. */
export function useReadFiles(skript: Skript, drafts: Drafts): (besides?: string) => Promise<ReadFiles> {
  const queryClient = useQueryClient();
  return async besides => {
    const others = skript.files.filter(({ id }) => id !== besides);
    const read = others.filter(({ name, size }) => isRead(name, size)).slice(0, MOST_FILES_READ);
    const files = read.map(async ({ id, name }) => {
      const content = drafts.drafted.get(id)?.content;
      return { name, content: content ?? (await queryClient.fetchQuery(skriptFileQuery(id))).content };
    });
    const unread = others.filter(file => !read.includes(file)).map(({ name }) => name);
    const packageFile = skript.files.find(({ name }) => name === PACKAGE_FILE);
    const saved = packageFile ? (await queryClient.fetchQuery(skriptFileQuery(packageFile.id))).content : '';
    return {
      libraries: librariesOf(queryClient, skript.id, saved),
      files: await Promise.all(files),
      unread: [...unread, ...(await storedNames(queryClient, skript.id))],
    };
  };
}

/** Returns a function that reads the files of a bundle. */
export function useReadBundled(skriptId: string): (hash: string) => Promise<ReadFiles> {
  const queryClient = useQueryClient();
  return async hash => {
    const { files } = await queryClient.fetchQuery(versionQuery(skriptId, hash));
    const packageFile = files.find(({ name }) => name === PACKAGE_FILE)?.content ?? '';
    const isUnread = ({ name, content }: CodeFile) => !isRead(name, content.length);
    return {
      libraries: librariesOf(queryClient, skriptId, packageFile),
      files: files.filter(file => !isUnread(file)).map(({ name, content }) => ({ name, content })),
      unread: [...files.filter(isUnread).map(({ name }) => name), ...(await storedNames(queryClient, skriptId))],
    };
  };
}
