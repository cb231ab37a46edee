import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Root } from 'mdast';
import type { MdxJsxAttribute, MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import { CONTINUE, SKIP, visit } from 'unist-util-visit';
import { answerFields, bodyFields, type ObjectUrl, parameterFields } from './fields';
import { code, codeBlock, element, heading, link, type Node, paragraph, sentence, strong, text } from './nodes';
import {
  answersOf,
  api,
  EXAMPLES,
  type Example,
  errorsOf,
  nameOf,
  type Operation,
  resolved,
  type Schema,
} from './openapi';
import { curl, javaScript } from './snippets';

const API_DOCS = resolve(__dirname, '../../../docs/joint-api');
const API_ROUTE = '/docs/joint-api';
const LISTS = `${API_ROUTE}/lists`;
const ERRORS = `${API_ROUTE}/errors`;
const LIST_FIELDS = new Set(['total', 'total_capped', 'limit', 'skip', 'next', 'items']);

/**
 * Inserts parts of openapi.yaml into a page:
 *
 *     <ApiObject schema="Skript" title="The skript" example="getSkript" />
 *                                    a heading, a recorded example of the object, and its fields
 *     <ApiRoutes tag="Skripts" />    an overview of the routes with this tag, then each route
 *
 * The output is ordinary headings, lists and code blocks, so that the table of contents, search and copying work.
 * An unknown tag, schema or example fails the build.
 */
export function apiPages({ platformUrl }: { platformUrl: string }) {
  const pages = objectPages();
  return (tree: Root): void => {
    const here = new Set<string>();
    visit(tree, { name: 'ApiObject' }, node => {
      here.add(attribute(node as MdxJsxFlowElement, 'schema'));
    });
    const objectUrl: ObjectUrl = name => {
      if (here.has(name)) return `#${objectId(name)}`;
      const page = pages.get(name);
      return page && `${page}#${objectId(name)}`;
    };
    visit(tree, 'mdxJsxFlowElement', (node, index, parent) => {
      if (!parent || (node.name !== 'ApiObject' && node.name !== 'ApiRoutes')) return CONTINUE;
      const written =
        node.name === 'ApiObject'
          ? apiObject(node, objectUrl)
          : apiRoutes(attribute(node, 'tag'), { objectUrl, platformUrl });
      const place = index as number;
      (parent.children as Node[]).splice(place, 1, ...written);
      return [SKIP, place + written.length];
    });
  };
}

/** Maps each object to the page that describes it. */
function objectPages(): Map<string, string> {
  const pages = new Map<string, string>();
  for (const file of readdirSync(API_DOCS)) {
    const route = `${API_ROUTE}/${file}`.replace(/(\/index)?\.mdx$/, '');
    for (const [, name] of readFileSync(join(API_DOCS, file), 'utf8').matchAll(/<ApiObject schema="([^"]+)"/g)) {
      pages.set(name as string, route);
    }
  }
  return pages;
}

function attribute(node: MdxJsxFlowElement, name: string): string {
  const value = node.attributes.find(
    (candidate): candidate is MdxJsxAttribute => candidate.type === 'mdxJsxAttribute' && candidate.name === name,
  )?.value;
  if (typeof value !== 'string') throw new Error(`<${node.name}> needs ${name}="…".`);
  return value;
}

const kebab = (name: string): string => name.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
const objectId = (schemaName: string): string => `object-${kebab(schemaName)}`;

function apiObject(node: MdxJsxFlowElement, objectUrl: ObjectUrl): Node[] {
  const name = attribute(node, 'schema');
  const schema = api().schemas[name];
  if (!schema) throw new Error(`openapi.yaml has no schema ${name}.`);
  const example = recorded(attribute(node, 'example'));
  const urlExceptItself: ObjectUrl = other => (other === name ? undefined : objectUrl(other));
  return [
    heading(2, objectId(name), attribute(node, 'title')),
    element(
      'div',
      { className: 'api-columns' },
      element('div', {}, answerFields(schema, urlExceptItself)),
      element(
        'div',
        { className: 'api-calls' },
        example ? codeBlock('json', JSON.stringify(firstItem(example.answer), null, 2)) : [],
      ),
    ),
  ];
}

/** Returns the first item of a list response, or the response itself. */
const firstItem = (answer: unknown): unknown =>
  (answer as { items?: unknown[] }).items?.[0] ?? (Array.isArray(answer) ? answer[0] : answer);

/** Returns the recorded call of a route, or undefined if it is not recorded yet. A test fails until it is recorded. */
function recorded(operationId: string): Example | undefined {
  const example = EXAMPLES[operationId];
  if (!example && !api().operations.some(operation => operation.operationId === operationId))
    throw new Error(`content/api-examples.json has no call of ${operationId}.`);
  return example;
}

interface PageContext {
  objectUrl: ObjectUrl;
  platformUrl: string;
}

function apiRoutes(tag: string, context: PageContext): Node[] {
  const operations = api().operations.filter(({ tags }) => tags.includes(tag));
  if (operations.length === 0) {
    const known = [...new Set(api().operations.flatMap(({ tags }) => tags))].join(', ');
    throw new Error(`openapi.yaml has no operation with the tag "${tag}". Its tags: ${known}.`);
  }
  const overview = element(
    'ul',
    { className: 'api-overview' },
    operations.map(({ operationId, summary, method, path }) =>
      element('li', {}, link(`#${kebab(operationId)}`, summary), text(' '), code(`${method} ${path}`)),
    ),
  );
  return [overview, ...operations.flatMap(operation => apiRoute(operation, context))];
}

function apiRoute(operation: Operation, { objectUrl, platformUrl }: PageContext): Node[] {
  const { method, path, operationId, summary, description, parameters, requestBody } = operation;
  const example = recorded(operationId);
  const [[bodyType, { schema: body } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const inside = (place: string) => parameters.filter(parameter => parameter.in === place);
  const id = kebab(operationId);
  const about = [
    ...part('Path parameters', inside('path'), objectUrl),
    ...part('Query parameters', inside('query'), objectUrl),
    ...part('Headers', inside('header'), objectUrl),
    ...(body
      ? [label(bodyType === 'application/json' ? 'JSON body' : `Body, ${bodyType}`), bodyPart(body, objectUrl)]
      : []),
    label('Response'),
    ...answersOf(operation).flatMap(answer => answerPart(answer, objectUrl)),
    ...errorPart(operation),
  ];
  return [
    heading(3, id, summary),
    element('p', { className: 'api-route' }, strong(method), text(' '), code(path)),
    ...(description ? [paragraph(sentence(description))] : []),
    element(
      'ApiOperation',
      { id },
      element('div', {}, about),
      element('div', { className: 'api-calls' }, example ? examplePart(platformUrl, operation, example) : []),
    ),
  ];
}

const examplePart = (platformUrl: string, operation: Operation, example: Example): Node[] => [
  element(
    'Tabs',
    { groupId: 'api-language' },
    element('TabItem', { value: 'curl', label: 'curl' }, codeBlock('bash', curl(platformUrl, operation, example))),
    element(
      'TabItem',
      { value: 'javascript', label: 'JavaScript' },
      codeBlock('js', javaScript(platformUrl, operation, example)),
    ),
  ),
  element('div', { 'data-whole': 'true' }, answerBlock(example)),
];

const answerBlock = ({ status, answer }: Example): Node => {
  const title = `Example response: ${status}`;
  return typeof answer === 'string'
    ? codeBlock('text', answer.trimEnd(), title)
    : codeBlock('json', JSON.stringify(answer, null, 2), title);
};

const label = (words: string): Node => element('p', { className: 'api-label' }, text(words));

const part = (title: string, parameters: Operation['parameters'], objectUrl: ObjectUrl): Node[] =>
  parameters.length > 0 ? [label(title), parameterFields(parameters, objectUrl)] : [];

const bodyPart = (schema: Schema, objectUrl: ObjectUrl): Node =>
  schema.format === 'binary'
    ? paragraph('The file.')
    : resolved(schema).properties
      ? bodyFields(schema, objectUrl)
      : paragraph('An object with any fields.');

interface Answer {
  status: string;
  description: string;
  type?: string;
  schema?: Schema;
}

function answerPart({ status, description, type, schema }: Answer, objectUrl: ObjectUrl): Node[] {
  const about = description ? [...sentence(description), ' '] : [];
  const says = (...content: (string | Node)[]) => [paragraph(code(status), ' ', ...about, ...content)];
  if (!schema || type !== 'application/json') return says(`${type ?? 'No content'}.`);
  const { properties, items } = resolved(schema);
  const named = objectLink(schema, objectUrl);
  if (named) return says(named, '.');
  if (items) return says('A list of ', objectLink(items, objectUrl) ?? 'values', '.');
  if (!properties) return says('An object.');
  const listed = properties.items?.items && objectLink(properties.items.items, objectUrl);
  if (listed && Object.keys(properties).every(name => LIST_FIELDS.has(name))) {
    return says('A ', link(LISTS, 'list'), ' of ', listed, '.');
  }
  return [...says('An object with these fields:'), answerFields(schema, objectUrl)];
}

/** Links a schema to the description of an object: that with the same name, or else one that has the same fields. */
function objectLink(schema: Schema, objectUrl: ObjectUrl): Node | undefined {
  // `ListedX` stands for the object X in lists, which omit some of its fields. Link it to the description of X.
  const own = nameOf(schema)?.replace(/^Listed/, '');
  const fields = fieldNames(schema);
  const name = [own, ...Object.keys(api().schemas)].find(
    candidate =>
      candidate && objectUrl(candidate) && (candidate === own || fieldNames(api().schemas[candidate]) === fields),
  );
  return name === undefined ? undefined : link(objectUrl(name) as string, name);
}

const fieldNames = (schema: Schema = {}): string =>
  Object.keys(resolved(schema).properties ?? {})
    .sort()
    .join();

function errorPart(operation: Operation): Node[] {
  const errors = errorsOf(operation);
  if (errors.length === 0) return [];
  return [
    label('Errors'),
    element(
      'ul',
      { className: 'api-errors' },
      errors.map(({ status, codes }) =>
        element(
          'li',
          {},
          code(status),
          codes.map(name => [' ', link(`${ERRORS}#error-${name}`, name)]),
        ),
      ),
    ),
  ];
}
