import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { valueToEstree } from 'estree-util-value-to-estree';
import { highlight } from './highlighted-code';

const WEBSITE = join(__dirname, '../..');
const SHOWN_ROWS = 5;

/** What an offer's page shows of its sample. */
export interface OfferSample {
  /** The skript that made it, as HTML. */
  code: string;
  /** A few rows from the first on, of `total`. */
  rows: Record<string, string | number | boolean | null>[];
  total: number;
}

/** The sample of an offer's page, or undefined for another page. */
function readSample(pagePath: string): OfferSample | undefined {
  const slug = /[\\/]pages[\\/](?:services|industries)[\\/]([a-z0-9-]+)\.mdx$/.exec(pagePath)?.[1];
  if (!slug) return undefined;
  const skript = join(WEBSITE, 'samples', slug, 'main.js');
  const rowsFile = join(WEBSITE, 'static/samples', `${slug}-synthetic.json`);
  for (const file of [skript, rowsFile]) {
    if (!existsSync(file))
      throw new Error(
        `${basename(pagePath)}: ${file} is missing. Write the skript, then npm run samples -w @trawl/website.`,
      );
  }
  const rows = JSON.parse(readFileSync(rowsFile, 'utf8'));
  return {
    code: highlight(readFileSync(skript, 'utf8').trimEnd(), 'javascript'),
    rows: spread(rows, SHOWN_ROWS),
    total: rows.length,
  };
}

/** So many of the items, from the first on and evenly apart: neighbours are often alike, such as batches of one recall. */
function spread<T>(items: T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, place) => place % step < 1);
}

/** Gives the page of a service or industry its sample as `export const sample`, which the layout shows. */
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
