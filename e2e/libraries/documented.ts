import { readFileSync } from 'node:fs';

/**
 * Reads the files of an example.
 *
 * @param suffix of their titles on the page, if the page has several examples
 */
export function filesOf(page: string, suffix = ''): Record<string, string> {
  const text = readFileSync(`website/docs/libs/${page}.mdx`, 'utf8');
  const blocks = [...text.matchAll(/```\w+ title="(\S+?)( [^"]*)?"\n(.*?)```/gs)];
  const own = blocks.filter(([, , ending = '']) => ending.trim() === suffix);
  return Object.fromEntries(own.map(([, name = '', , content = '']) => [name, content]));
}
