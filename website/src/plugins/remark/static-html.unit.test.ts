import type { Element, ElementContent, Root } from 'hast';
import { staticHtml } from './static-html';

const text = (value: string): ElementContent => ({ type: 'text', value });
const element = (tagName: string, properties: Element['properties'], ...children: ElementContent[]): Element => ({
  type: 'element',
  tagName,
  properties,
  children,
});
const component = (name: string): ElementContent => ({ type: 'mdxJsxTextElement', name, attributes: [], children: [] });
const link = (href: string) => element('a', { href }, text('there'));

function transformed(...children: Root['children']) {
  const root: Root = { type: 'root', children };
  staticHtml()(root);
  return root.children;
}

/** The properties of the component in whose place an element was. */
const htmlOf = (node: Element) => {
  const [component] = transformed(node);
  if (component?.type !== 'mdxJsxFlowElement' || component.name !== 'Html') throw new Error('It is still an element.');
  return Object.fromEntries(component.attributes.map(given => ('name' in given ? [given.name, given.value] : [])));
};

test('the website build writes paragraphs, lists and tables as HTML with escaped text', () => {
  const list = element('ul', { className: ['api-errors'] }, element('li', {}, element('code', {}, text('a < b'))));
  expect(htmlOf(list)).toEqual({ as: 'ul', className: 'api-errors', html: '<li><code>a &#x3C; b</code></li>' });
  const cell = element('td', { align: 'right', 'data-label': 'Limit' }, text('5'));
  expect(htmlOf(element('table', {}, element('tbody', {}, element('tr', {}, cell))))).toEqual({
    as: 'table',
    html: '<tbody><tr><td data-label="Limit" style="text-align:right">5</td></tr></tbody>',
  });
});

test('its links lead to pages without a slash at the end, and to other sites in a new tab', () => {
  const html = (href: string) => htmlOf(element('p', {}, link(href))).html;
  expect(html('/docs/joint-api/#lists')).toBe('<a href="/docs/joint-api#lists">there</a>');
  expect(html('#lists')).toBe('<a href="#lists">there</a>');
  expect(html('https://example.com/a/')).toBe(
    '<a href="https://example.com/a/" target="_blank" rel="noopener noreferrer">there</a>',
  );
});

test('it leaves components, headings, anchors and plain text to the theme', () => {
  const untouched = [
    element('p', {}, text('Words')),
    element('p', {}, component('Operator')),
    element('h2', { id: 'runs' }, element('code', {}, text('runs'))),
    element('ul', {}, element('li', { id: 'note' }, element('b', {}, text('Note')))),
    element('p', {}, link('pathname:///openapi.yaml')),
  ];
  const copy = structuredClone(untouched);
  expect(transformed(...untouched)).toEqual(copy);
  const [mixed] = transformed(element('div', {}, component('Tabs'), element('p', {}, link('/docs')))) as [Element];
  expect(mixed.children.map(child => 'name' in child && child.name)).toEqual(['Tabs', 'Html']);
});
