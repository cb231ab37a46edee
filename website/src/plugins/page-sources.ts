import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from '@docusaurus/types';

const REPOSITORY = resolve(__dirname, '../../..');

/** What pages are made of beside their own text and what they import: remark plugins read it from the disk. */
const SOURCES = [
  'openapi.yaml',
  'examples/skripts',
  'website/content/api-examples.json',
  'website/docs/joint-api',
  'website/samples',
  'website/static/samples',
];

/** Without it the bundler's cache would show a page as it was before such a file changed. */
export function pageSources(): Plugin {
  return {
    name: 'page-sources',
    configureWebpack: ({ experiments }) => {
      const isCached = Boolean((experiments as { cache?: object } | undefined)?.cache);
      const buildDependencies = SOURCES.flatMap(source => filesOf(join(REPOSITORY, source)));
      return isCached ? ({ experiments: { cache: { buildDependencies } } } as object) : {};
    },
  };
}

function filesOf(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
