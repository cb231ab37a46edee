import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { valueToEstree } from 'estree-util-value-to-estree';
import type { Root } from 'mdast';
import type { MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import { highlight } from './highlighted-code';

const WEBSITE = join(__dirname, '../../..');
const SHOWN_ROWS = 5;
const EXCERPT_LINES = 9;
/** Sources on one long line would make the page heavy. */
const MOST_CHARS = 240;
const TEXT_FILE = /\.(html|hocr|xml|json|csv|txt|ics)$/;

type Row = Record<string, string | number | boolean | null>;

/** The sample on the page of an offer. */
export interface OfferSample {
  /** Lines of the source from which the first row was made, and the name of their file. */
  before: { file: string; text: string };
  /** Skript that created the sample, as HTML. */
  code: string;
  /** A few of the `total` rows. */
  rows: Row[];
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
  const rows: Row[] = JSON.parse(readFileSync(rowsFile, 'utf8'));
  return {
    before: excerpt(join(WEBSITE, 'samples', slug, 'source'), rows[0] ?? {}),
    code: highlight(readFileSync(skript, 'utf8').trimEnd(), 'javascript'),
    rows: spread(rows, SHOWN_ROWS),
    total: rows.length,
  };
}

/** Returns the lines of the source files that have most values of the row. */
export function excerpt(folder: string, row: Row): OfferSample['before'] {
  const values = Object.values(row).flatMap(value =>
    typeof value === 'boolean' || value === null || String(value).length < 3 ? [] : [String(value)],
  );
  let best = { path: '', text: '', found: -1 };
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => TEXT_FILE.test(name));
  for (const file of files.sort()) {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    for (let start = 0; start === 0 || start + EXCERPT_LINES <= lines.length; start++) {
      const text = lines.slice(start, start + EXCERPT_LINES).join('\n');
      const found = values.filter(value => text.includes(value)).length;
      // Of the windows with as many values, takes the last one of the file: it begins with the first value.
      if (found > best.found || (found === best.found && file === best.path)) best = { path: file, text, found };
    }
  }
  return { file: basename(best.path), text: dedent(best.text) };
}

function dedent(text: string): string {
  const lines = text.split('\n').filter(line => line.trim());
  const indent = Math.min(...lines.map(line => line.search(/\S/)));
  return lines.map(line => line.slice(indent, indent + MOST_CHARS)).join('\n');
}

/** Picks `count` evenly spaced items, because neighbours are often similar. */
function spread<T>(items: T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, place) => place % step < 1);
}

function fold(summary: string, children: Root['children']): MdxJsxFlowElement {
  const title: MdxJsxFlowElement = {
    type: 'mdxJsxFlowElement',
    name: 'summary',
    attributes: [],
    children: [{ type: 'text', value: summary }] as never,
  };
  return {
    type: 'mdxJsxFlowElement',
    name: 'details',
    attributes: [{ type: 'mdxJsxAttribute', name: 'className', value: 'fold' }],
    children: [title, ...(children as MdxJsxFlowElement['children'])],
  };
}

/** Adds `export const sample` to the page of an offer, for its layout, and folds what follows its first paragraph. */
export function offerSample() {
  return (tree: Root, file: { path: string }): void => {
    const sample = readSample(file.path);
    if (!sample) return;
    const first = tree.children.findIndex(({ type }) => type === 'paragraph');
    const rest = tree.children.splice(first + 1);
    tree.children.push(fold('Read on', rest));
    (tree.children as unknown[]).push({
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
