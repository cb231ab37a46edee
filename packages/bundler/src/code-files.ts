import { TYPED_ENDINGS, UNTYPED_ENDINGS } from '@trawl/contracts/main-file';
import type { Loader } from 'esbuild';

/** How esbuild reads the files that a skript can import, by the end of their names. */
const LOADERS: Record<string, Loader> = {
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
};

/** Returns the names that an imported path may stand for, best first. TypeScript prefers its own files, as elsewhere. */
export function namesFor(path: string, importer: string): string[] {
  const isTyped = /\.[cm]?tsx?$/.test(importer);
  const endings = isTyped ? [...TYPED_ENDINGS, ...UNTYPED_ENDINGS] : [...UNTYPED_ENDINGS, ...TYPED_ENDINGS];
  return [path, ...endings.map(end => path + end), ...endings.map(end => `${path}/index${end}`), ...sourcesOf(path)];
}

/** How esbuild reads a file; undefined if a skript cannot import it. */
export const loaderOf = (name: string): Loader | undefined => LOADERS[/\.\w+$/.exec(name)?.[0] ?? ''];

/**
 * Returns the names under which a path may stand for a TypeScript file: its compiled name, as TypeScript wants it in
 * imports.
 */
const sourcesOf = (path: string): string[] => {
  const [, stem = '', kind = ''] = /^(.*)\.([cm]?)jsx?$/.exec(path) ?? [];
  return stem === '' ? [] : [`${stem}.${kind}ts`, `${stem}.tsx`];
};
