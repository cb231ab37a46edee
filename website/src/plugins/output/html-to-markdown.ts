import type { CheerioAPI } from 'cheerio';

type Node = ReturnType<ReturnType<CheerioAPI>['contents']>[number];
type Element = Extract<Node, { attribs: object }>;

const INLINE = new Set('a abbr b br code del em i kbd mark s small span strong sub sup time'.split(' '));
const OMITTED = new Set(['button', 'img', 'script', 'style', 'svg']);
const HEADING = /^h[1-6]$/;
/** Characters that would be markup. */
const MARKUP = /[\\`*_[\]<]/g;
const MARKUP_AT_START = /^(?:[-+>#=]|\d+(?=\.))/;

/** Converts elements to Markdown. They are those of the docs: other elements lose their markup, not their text. */
export function htmlToMarkdown(nodes: Node[]): string {
  return blocks(nodes).join('\n\n');
}

/** Returns the paragraphs, lists and other blocks. Text between them is a block. */
function blocks(nodes: Node[]): string[] {
  const found: string[] = [];
  let text: Node[] = [];
  const endText = () => {
    const paragraph = inline(text).trim();
    if (paragraph)
      found.push(paragraph.replace(MARKUP_AT_START, start => (/\d/.test(start) ? `${start}\\` : `\\${start}`)));
    text = [];
  };
  for (const node of nodes) {
    if (node.type === 'text' || (node.type === 'tag' && INLINE.has(node.name))) text.push(node);
    else if (node.type === 'tag' && !OMITTED.has(node.name)) {
      endText();
      found.push(...block(node));
    }
  }
  endText();
  return found.filter(Boolean);
}

function block(element: Element): string[] {
  const { name, children } = element;
  if (HEADING.test(name)) return [`${'#'.repeat(Number(name[1]))} ${inline(children).trim()}`];
  if (name === 'pre') return [fenced(textOf(element).replace(/\n$/, ''))];
  if (name === 'ul' || name === 'ol') return [list(element)];
  if (name === 'blockquote') return [indented(htmlToMarkdown(children), '> ', '> ')];
  if (name === 'table') return [table(element)];
  if (name === 'hr') return ['---'];
  return blocks(children);
}

function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}

function list({ name, children }: Element): string {
  const items = children.filter((child): child is Element => child.type === 'tag' && child.name === 'li');
  return items
    .map((item, index) => {
      const mark = name === 'ol' ? `${index + 1}. ` : '- ';
      return indented(htmlToMarkdown(item.children), mark, ' '.repeat(mark.length));
    })
    .join('\n');
}

const indented = (text: string, first: string, others: string): string =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line && others + line))
    .join('\n');

function table(element: Element): string {
  const rows = rowsOf(element).map(row => {
    const cells = row.children.filter((child): child is Element => child.type === 'tag');
    return cells.map(cell => inline(cell.children).replace(/\s+/g, ' ').trim().replaceAll('|', '\\|'));
  });
  const [head = [], ...body] = rows;
  return [head, head.map(() => '---'), ...body].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

const rowsOf = ({ children }: Element): Element[] =>
  children.flatMap(child => {
    if (child.type !== 'tag') return [];
    return child.name === 'tr' ? [child] : rowsOf(child);
  });

/** Returns the text of a paragraph with its markup. Blanks and line breaks become one blank. */
function inline(nodes: Node[]): string {
  return nodes.map(inlineNode).join('').replace(/ +/g, ' ');
}

function inlineNode(node: Node): string {
  if (node.type === 'text') return node.data.replace(/\s+/g, ' ').replace(MARKUP, '\\$&');
  if (node.type !== 'tag' || OMITTED.has(node.name)) return '';
  const { name, attribs, children } = node;
  if (name === 'br') return '  \n';
  if (name === 'code') return codeSpan(textOf(node));
  const text = inline(children);
  if (name === 'a' && attribs.href) return text.trim() && `[${text}](${attribs.href})`;
  if (name === 'strong' || name === 'b') return marked(text, '**');
  if (name === 'em' || name === 'i') return marked(text, '_');
  return INLINE.has(name) ? text : ` ${text} `;
}

/** Puts marks around a text, but not around the blanks at its ends. */
const marked = (text: string, mark: string): string => text.replace(/\S(?:.*\S)?/s, inner => mark + inner + mark);

function codeSpan(code: string): string {
  const ticks = code.includes('`') ? '``' : '`';
  const blank = /^`|`$/.test(code) ? ' ' : '';
  return code && ticks + blank + code + blank + ticks;
}

function textOf(node: Node): string {
  if (node.type === 'text') return node.data;
  return node.type === 'tag' ? node.children.map(textOf).join('') : '';
}
