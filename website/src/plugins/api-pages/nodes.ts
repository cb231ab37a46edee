/** Markdown as remark knows it, as far as the generated pages need it. */
export interface Node {
  type: string;
  value?: string;
  children?: Node[];
  depth?: number;
  lang?: string;
  meta?: string | null;
  url?: string;
  name?: string | null;
  attributes?: { type: string; name: string; value?: unknown }[];
  data?: { hProperties: Record<string, string> };
}

type Content = string | Node | Content[];

const nodes = (content: Content[]): Node[] =>
  content.flatMap(part => (Array.isArray(part) ? nodes(part) : typeof part === 'string' ? text(part) : part));

export const text = (value: string): Node => ({ type: 'text', value });
export const code = (value: string): Node => ({ type: 'inlineCode', value });
export const strong = (...content: Content[]): Node => ({ type: 'strong', children: nodes(content) });
export const link = (url: string, ...content: Content[]): Node => ({ type: 'link', url, children: nodes(content) });
export const paragraph = (...content: Content[]): Node => ({ type: 'paragraph', children: nodes(content) });
export const codeBlock = (lang: string, value: string): Node => ({ type: 'code', lang, meta: null, value });

export const heading = (depth: number, id: string, ...content: Content[]): Node => ({
  type: 'heading',
  depth,
  data: { hProperties: { id } },
  children: nodes(content),
});

/** An element or a component of MDXComponents. */
export const element = (name: string, attributes: Record<string, string>, ...content: Content[]): Node => ({
  type: 'mdxJsxFlowElement',
  name,
  attributes: Object.entries(attributes).map(([key, value]) => ({ type: 'mdxJsxAttribute', name: key, value })),
  children: nodes(content),
});

/** Text of openapi.yaml, in which only code is marked: `like this`. */
export const prose = (value: string): Node[] =>
  value.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? code(part) : text(part)));

/** Text that ends as a sentence does. */
export const sentence = (value: string): Node[] => prose(/[.:!?]$/.test(value) ? value : `${value}.`);
