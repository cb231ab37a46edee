import type { Heading, PhrasingContent, RootContent } from 'mdast';
import type { MdxJsxFlowElement } from 'mdast-util-mdx-jsx';

/** Nodes of a page: Markdown and MDX elements. */
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
export const codeBlock = (lang: string, value: string, title?: string): Node => ({
  type: 'code',
  lang,
  meta: title === undefined ? null : `title="${title}"`,
  value,
});

export const heading = (depth: Heading['depth'], id: string, ...content: Content[]): Node => ({
  type: 'heading',
  depth,
  data: { hProperties: { id } },
  children: inline(content),
});

/** Creates an HTML element or a component of MDXComponents. */
export const element = (name: string, attributes: Record<string, string>, ...content: Content[]): Node => ({
  type: 'mdxJsxFlowElement',
  name,
  attributes: Object.entries(attributes).map(([key, value]) => ({ type: 'mdxJsxAttribute', name: key, value })),
  // MDX accepts text here, although its types allow it only in inline elements.
  children: nodes(content) as MdxJsxFlowElement['children'],
});

/** Converts a text of openapi.yaml to nodes. Its only markup is code in backticks. */
export const prose = (value: string): Node[] =>
  value.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? code(part) : text(part)));

/** Adds a full stop to a text if it has none. */
export const sentence = (value: string): Node[] => prose(/[.:!?]$/.test(value) ? value : `${value}.`);
