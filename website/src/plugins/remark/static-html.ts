import type { Element, ElementContent, Root, Text } from 'hast';
import { toHtml } from 'hast-util-to-html';
import type { MdxJsxAttribute, MdxJsxFlowElementHast } from 'mdast-util-mdx-jsx';
import { SKIP, visit } from 'unist-util-visit';

/** Elements that the theme shows as they are, or with classes that this site does not use. */
const TAGS = new Set(
  'a b blockquote br code dd del div dl dt em hr i kbd li ol p small span strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  ),
);
const ABSOLUTE = /^[a-z]+:/i;
/** Index pages have a slash at the end of their addresses, but are served without. */
const SLASH_AT_END = /(?<=.)\/(?=$|[?#])/;

/**
 * Writes paragraphs, lists and tables as HTML. As components they would be code that browsers load and run before the
 * page reacts, and that the build compiles, minifies and renders. Components and headings stay as they are.
 */
export function staticHtml() {
  return (tree: Root): void =>
    visit(tree, (node, index, parent) => {
      if (!parent || index === undefined) return;
      const plain = plainElement(node as ElementContent);
      if (!plain || plain.children.every(child => child.type === 'text')) return;
      const props = Object.entries(plain.properties).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(' ') : String(value),
      ]);
      const html = toHtml(plain.children);
      parent.children[index] = htmlComponent({ as: plain.tagName, ...Object.fromEntries(props), html });
      return SKIP;
    });
}

function htmlComponent(props: Record<string, string>): MdxJsxFlowElementHast {
  const attributes = Object.entries(props).map(
    ([name, value]): MdxJsxAttribute => ({ type: 'mdxJsxAttribute', name, value }),
  );
  return { type: 'mdxJsxFlowElement', name: 'Html', attributes, children: [] };
}

/** Returns the element as one of HTML; undefined if it, or an element in it, needs a component. */
function plainElement(node: ElementContent): Element | undefined {
  const element = htmlElement(node);
  if (!element || !TAGS.has(element.tagName)) return undefined;
  if ('id' in element.properties || 'style' in element.properties) return undefined;
  const children: ElementContent[] = [];
  for (const child of element.children) {
    const plain = child.type === 'text' ? child : plainElement(child);
    // A table scrolls in a component.
    if (!plain || ('tagName' in plain && plain.tagName === 'table')) return undefined;
    children.push(aligned(plain));
  }
  const plain = { ...element, children };
  return plain.tagName === 'a' ? plainLink(plain) : plain;
}

/** Replaces the property by which Markdown aligns a cell, as React does. */
function aligned(node: Element | Text): Element | Text {
  if (node.type === 'text' || !node.properties.align) return node;
  const { align, ...properties } = node.properties;
  return { ...node, properties: { ...properties, style: `text-align:${align}` } };
}

/** Returns an element of Markdown, or one that was written as HTML, with properties that are texts. */
function htmlElement(node: ElementContent): Element | undefined {
  if (node.type === 'element') return node;
  if (node.type !== 'mdxJsxFlowElement' && node.type !== 'mdxJsxTextElement') return undefined;
  const properties: Element['properties'] = {};
  for (const attribute of node.attributes) {
    if (attribute.type !== 'mdxJsxAttribute' || typeof attribute.value !== 'string') return undefined;
    properties[attribute.name] = attribute.value;
  }
  return node.name ? { type: 'element', tagName: node.name, properties, children: node.children } : undefined;
}

function plainLink(link: Element): Element | undefined {
  const href = String(link.properties.href ?? '');
  // Docusaurus has resolved links to files into code.
  if (/^(pathname|file):/.test(href)) return undefined;
  const properties = ABSOLUTE.test(href)
    ? { ...link.properties, target: '_blank', rel: ['noopener', 'noreferrer'] }
    : { ...link.properties, href: href.replace(SLASH_AT_END, '') };
  return { ...link, properties };
}
