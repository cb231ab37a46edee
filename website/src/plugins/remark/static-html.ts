import type { Root as HtmlRoot } from 'hast';
import type { Root } from 'mdast';
import type { MdxJsxAttribute, MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import { SKIP, visit } from 'unist-util-visit';
import { pageUrl } from '../../components/site/page-url';

type Node = Root['children'][number] | HtmlRoot['children'][number];

/** An element that can be written as HTML, unless one of its children cannot. */
interface Plain {
  tagName: string;
  attributes: Record<string, string>;
  children: Node[];
}

/** Elements that the theme shows as they are, or with classes that this site does not use. */
const TAGS = new Set(
  'a b blockquote br code dd del div dl dt em hr i kbd li ol p small span strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  ),
);
const VOID = new Set(['br', 'hr']);
/** Elements for nodes of Markdown. */
const MARKDOWN: Record<string, string> = { inlineCode: 'code', link: 'a', paragraph: 'p', strong: 'strong' };
const ABSOLUTE = /^[a-z]+:/i;
const NEW_TAB = { target: '_blank', rel: 'noopener noreferrer' };

/**
 * Writes paragraphs, lists and tables as HTML. As components they would be code that browsers load and run before the
 * page reacts, and that the build compiles, minifies and renders. Components and headings stay as they are.
 */
export function staticHtml() {
  return (tree: HtmlRoot): void => replace(tree);
}

/** Does the same for the elements that API pages insert into Markdown, before other plugins walk through them. */
export function staticElements() {
  return (tree: Root): void => replace(tree, 'mdxJsxFlowElement');
}

function replace(tree: Root | HtmlRoot, type?: string): void {
  visit(tree as Root, (node, index, parent) => {
    if (!parent || index === undefined || (type && node.type !== type)) return;
    const plain = plainElement(node as Node);
    if (!plain || plain.children.every(child => child.type === 'text')) return;
    const html = innerHtml(plain);
    if (html === undefined) return;
    parent.children[index] = htmlComponent({ as: plain.tagName, ...renamed(plain.attributes), html });
    return SKIP;
  });
}

function htmlComponent(props: Record<string, string>): MdxJsxFlowElement {
  const attributes = Object.entries(props).map(
    ([name, value]): MdxJsxAttribute => ({ type: 'mdxJsxAttribute', name, value }),
  );
  return { type: 'mdxJsxFlowElement', name: 'Html', attributes, children: [] };
}

const renamed = ({ class: className, ...others }: Record<string, string>): Record<string, string> =>
  className === undefined ? others : { className, ...others };

function plainElement(node: Node): Plain | undefined {
  const plain = namedElement(node);
  if (!plain || !TAGS.has(plain.tagName) || 'id' in plain.attributes || 'style' in plain.attributes) return undefined;
  return plain.tagName === 'a' ? plainLink(plain) : plain;
}

function namedElement(node: Node): Plain | undefined {
  if (node.type === 'element') {
    return {
      tagName: node.tagName,
      attributes: htmlAttributes(Object.entries(node.properties)),
      children: node.children,
    };
  }
  if (node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement') {
    const texts = node.attributes.flatMap(attribute =>
      attribute.type === 'mdxJsxAttribute' && typeof attribute.value === 'string'
        ? [[attribute.name, attribute.value] as const]
        : [],
    );
    if (!node.name || texts.length < node.attributes.length) return undefined;
    return { tagName: node.name, attributes: htmlAttributes(texts), children: node.children };
  }
  const tagName = MARKDOWN[node.type];
  if (!tagName) return undefined;
  if (node.type === 'inlineCode') return { tagName, attributes: {}, children: [{ type: 'text', value: node.value }] };
  const attributes: Record<string, string> = node.type === 'link' ? { href: node.url } : {};
  return { tagName, attributes, children: (node as { children: Node[] }).children };
}

const htmlAttributes = (properties: (readonly [string, unknown])[]): Record<string, string> =>
  Object.fromEntries(
    properties.map(([name, value]) => [
      name === 'className' ? 'class' : name,
      Array.isArray(value) ? value.join(' ') : String(value),
    ]),
  );

function plainLink({ attributes, ...link }: Plain): Plain | undefined {
  const { href = '' } = attributes;
  // Docusaurus resolves links to files later.
  if (/^(pathname|file):|\.mdx?(#|$)/.test(href)) return undefined;
  const own = ABSOLUTE.test(href) ? { ...NEW_TAB, ...attributes } : { ...attributes, href: pageUrl(href) };
  return { ...link, attributes: own };
}

/** Returns the HTML of the children, or undefined if one of them needs a component. */
function innerHtml({ children }: Plain): string | undefined {
  let html = '';
  for (const child of children) {
    const part = child.type === 'text' ? escaped(child.value) : outerHtml(plainElement(child));
    if (part === undefined) return undefined;
    html += part;
  }
  return html;
}

function outerHtml(plain: Plain | undefined): string | undefined {
  // A table scrolls in a component.
  if (!plain || plain.tagName === 'table') return undefined;
  const { tagName, attributes } = plain;
  const inner = innerHtml(plain);
  if (inner === undefined) return undefined;
  const written = Object.entries(attributes).map(([name, value]) =>
    name === 'align' ? ` style="text-align:${value}"` : ` ${name}="${escaped(value)}"`,
  );
  const start = `<${tagName}${written.join('')}>`;
  return VOID.has(tagName) ? start : `${start}${inner}</${tagName}>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character] ?? character);
