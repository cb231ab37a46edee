import type { Heading, PhrasingContent, RootContent } from 'mdast';
import type { MdxJsxFlowElement } from 'mdast-util-mdx-jsx';

/** What a page is made of: Markdown, and elements as MDX has them. */
export type Node = RootContent;

type Content = string | Node | Content[];

const nodes = (content: Content[]): Node[] =>
  content.flatMap(part => (Array.isArray(part) ? nodes(part) : typeof part === 'string' ? text(part) : part));

const inline = (content: Content[]): PhrasingContent[] => nodes(content) as PhrasingContent[];

export const text = (value: string): Node => ({ type: 'text', value });
export const code = (value: string): Node => ({ type: 'inlineCode', value });
export const strong = (...content: Content[]): Node => ({ type: 'strong', children: inline(content) });
export const link = (url: string, ...content: Content[]): Node => ({ type: 'link', url, children: inline(content) });
export const paragraph = (...content: Content[]): Node => ({ type: 'paragraph', children: inline(content) });
export const codeBlock = (lang: string, value: string): Node => ({ type: 'code', lang, meta: null, value });

export const heading = (depth: Heading['depth'], id: string, ...content: Content[]): Node => ({
  type: 'heading',
  depth,
  data: { hProperties: { id } },
  children: inline(content),
});

/** An element or a component of MDXComponents. */
export const element = (name: string, attributes: Record<string, string>, ...content: Content[]): Node => ({
  type: 'mdxJsxFlowElement',
  name,
  attributes: Object.entries(attributes).map(([key, value]) => ({ type: 'mdxJsxAttribute', name: key, value })),
  // MDX takes text here as well, which its types leave to elements within a line.
  children: nodes(content) as MdxJsxFlowElement['children'],
});

/** Text of openapi.yaml, in which only code is marked: `like this`. */
export const prose = (value: string): Node[] =>
  value.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? code(part) : text(part)));

/** Text that ends as a sentence does. */
export const sentence = (value: string): Node[] => prose(/[.:!?]$/.test(value) ? value : `${value}.`);
