import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { valueToEstree } from 'estree-util-value-to-estree';
import { highlight } from './highlighted-code';

const WEBSITE = join(__dirname, '../../..');
const SHOWN_ROWS = 5;

/** The sample on the page of an offer. */
export interface OfferSample {
  /** Skript that created the sample, as HTML. */
  code: string;
  /** A few of the `total` rows. */
  rows: Record<string, string | number | boolean | null>[];
  total: number;
}

/** Reads the sample for the page of an offer; undefined for other pages. */
function readSample(pagePath: string): OfferSample | undefined {
  const slug = /[\\/]pages[\\/](?:services|industries)[\\/]([a-z0-9-]+)\.mdx$/.exec(pagePath)?.[1];
  if (!slug) return undefined;
  const skript = join(WEBSITE, 'samples', slug, 'main.js');
  const rowsFile = join(WEBSITE, 'static/samples', `${slug}-synthetic.json`);
  for (const file of [skript, rowsFile]) {
    if (!existsSync(file))
      throw new Error(
        `${basename(pagePath)}: ${file} is missing. Write the skript, then run npm run samples -w @trawl/website.`,
      );
  }
  const rows = JSON.parse(readFileSync(rowsFile, 'utf8'));
  return {
    code: highlight(readFileSync(skript, 'utf8').trimEnd(), 'javascript'),
    rows: spread(rows, SHOWN_ROWS),
    total: rows.length,
  };
}

/** Picks `count` evenly spaced items, because neighbours are often similar. */
function spread<T>(items: T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, place) => place % step < 1);
}

/** Adds `export const sample` to the page of an offer, for its layout. */
export function offerSample() {
  return (tree: { children: unknown[] }, file: { path: string }): void => {
    const sample = readSample(file.path);
    if (!sample) return;
    tree.children.push({
      type: 'mdxjsEsm',
      value: '',
      data: {
        estree: {
          type: 'Program',
          sourceType: 'module',
          body: [
            {
              type: 'ExportNamedDeclaration',
              specifiers: [],
              declaration: {
                type: 'VariableDeclaration',
                kind: 'const',
                declarations: [
                  {
                    type: 'VariableDeclarator',
                    id: { type: 'Identifier', name: 'sample' },
                    init: valueToEstree(sample),
                  },
                ],
              },
            },
          ],
        },
      },
    });
  };
}
