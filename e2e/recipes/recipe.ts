import { readFileSync } from 'node:fs';

/** Returns the code of a recipe as its page shows it, with the name of its file. `title` is that of the block. */
export function codeOf(page: string, title: string): { name: string; code: string } {
  const text = readFileSync(`website/docs/recipes/${page}.mdx`, 'utf8');
  for (const [, meta = '', code = ''] of text.matchAll(/^```\w+ ([^\n]*)\n(.*?)^```$/gms)) {
    if (/title="([^"]*)"/.exec(meta)?.[1] !== title) continue;
    const file = /file=(\S+)/.exec(meta)?.[1];
    return { name: title.split(' ')[0] ?? title, code: file ? readFileSync(file, 'utf8') : code };
  }
  throw new Error(`The recipe ${page} shows no ${title}.`);
}
