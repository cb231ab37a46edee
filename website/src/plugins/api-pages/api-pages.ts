import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Root } from 'mdast';
import type { MdxJsxAttribute, MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import { CONTINUE, SKIP, visit } from 'unist-util-visit';
import { answerFields, bodyFields, type Described, parameterFields } from './fields';
import { code, codeBlock, element, heading, link, type Node, paragraph, sentence, strong, text } from './nodes';
import {
  answersOf,
  EXAMPLES,
  type Example,
  errorsOf,
  nameOf,
  OPERATIONS,
  type Operation,
  resolved,
  SCHEMAS,
  type Schema,
} from './openapi';
import { curl, javaScript } from './snippets';

const API_DOCS = resolve(__dirname, '../../../docs/joint-api');
const API_ROUTE = '/docs/joint-api';
const LISTS = `${API_ROUTE}/lists`;
const ERRORS = `${API_ROUTE}/errors`;
const LIST_FIELDS = new Set(['total', 'total_capped', 'limit', 'skip', 'next', 'items']);

/**
 * Writes openapi.yaml into a page, at the places that ask for it:
 *
 *     <ApiObject schema="Skript" title="The skript" example="getSkript" />
 *                                    a heading, an object that a real call answered, and its fields
 *     <ApiRoutes tag="Skripts" />    the routes with this tag at a glance, then each of them
 *
 * What comes out are ordinary headings, tables and code blocks, so contents, search and copying need nothing more.
 * A tag, schema or call that does not exist fails the build.
 */
export function apiPages({ platformUrl }: { platformUrl: string }) {
  const pages = objectPages();
  return (tree: Root): void => {
    const here = new Set<string>();
    visit(tree, { name: 'ApiObject' }, node => {
      here.add(attribute(node as MdxJsxFlowElement, 'schema'));
    });
    const describedAt: Described = name => {
      if (here.has(name)) return `#${objectId(name)}`;
      const page = pages.get(name);
      return page && `${page}#${objectId(name)}`;
    };
    visit(tree, 'mdxJsxFlowElement', (node, index, parent) => {
      if (!parent || (node.name !== 'ApiObject' && node.name !== 'ApiRoutes')) return CONTINUE;
      const written =
        node.name === 'ApiObject'
          ? apiObject(node, describedAt)
          : apiRoutes(attribute(node, 'tag'), { describedAt, platformUrl });
      const place = index as number;
      (parent.children as Node[]).splice(place, 1, ...written);
      return [SKIP, place + written.length];
    });
  };
}

/** The page on which each object is described. */
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

function apiObject(node: MdxJsxFlowElement, describedAt: Described): Node[] {
  const name = attribute(node, 'schema');
  const schema = SCHEMAS[name];
  if (!schema) throw new Error(`openapi.yaml has no schema ${name}.`);
  const example = recorded(attribute(node, 'example'));
  const notItself: Described = other => (other === name ? undefined : describedAt(other));
  return [
    heading(2, objectId(name), attribute(node, 'title')),
    ...(example ? [codeBlock('json', JSON.stringify(firstItem(example.answer), null, 2))] : []),
    answerFields(schema, notItself),
  ];
}

/** Of a list its first item: the object that the list is of. */
const firstItem = (answer: unknown): unknown =>
  (answer as { items?: unknown[] }).items?.[0] ?? (Array.isArray(answer) ? answer[0] : answer);

/** Undefined of a route that is new: it is documented before it can be recorded; a test asks for the recording. */
function recorded(operationId: string): Example | undefined {
  const example = EXAMPLES[operationId];
  if (!example && !OPERATIONS.some(operation => operation.operationId === operationId))
    throw new Error(`content/api-examples.json has no call of ${operationId}.`);
  return example;
}

interface Surroundings {
  describedAt: Described;
  platformUrl: string;
}

function apiRoutes(tag: string, surroundings: Surroundings): Node[] {
  const operations = OPERATIONS.filter(({ tags }) => tags.includes(tag));
  if (operations.length === 0) {
    const known = [...new Set(OPERATIONS.flatMap(({ tags }) => tags))].join(', ');
    throw new Error(`openapi.yaml has no operation with the tag "${tag}". Its tags: ${known}.`);
  }
  const overview = element(
    'ul',
    { className: 'api-overview' },
    operations.map(({ operationId, summary, method, path }) =>
      element('li', {}, link(`#${kebab(operationId)}`, summary), text(' '), code(`${method} ${path}`)),
    ),
  );
  return [overview, ...operations.flatMap(operation => apiRoute(operation, surroundings))];
}

function apiRoute(operation: Operation, { describedAt, platformUrl }: Surroundings): Node[] {
  const { method, path, operationId, summary, description, parameters, requestBody } = operation;
  const example = recorded(operationId);
  const [[bodyType, { schema: body } = {}] = []] = Object.entries(requestBody?.content ?? {});
  const inside = (place: string) => parameters.filter(parameter => parameter.in === place);
  return [
    heading(3, kebab(operationId), summary),
    element('p', { className: 'api-route' }, strong(method), text(' '), code(path)),
    ...(description ? [paragraph(sentence(description))] : []),
    ...part('In the path', inside('path'), describedAt),
    ...part('Query', inside('query'), describedAt),
    ...part('Headers', inside('header'), describedAt),
    ...(body
      ? [label(bodyType === 'application/json' ? 'Body, JSON' : `Body, ${bodyType}`), bodyPart(body, describedAt)]
      : []),
    label('Answer'),
    ...answersOf(operation).flatMap(answer => answerPart(answer, describedAt)),
    ...errorPart(operation),
    ...(example ? examplePart(platformUrl, operation, example) : []),
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
  element(
    'details',
    {},
    element('summary', {}, text(`What it answered: ${example.status}`)),
    typeof example.answer === 'string'
      ? codeBlock('text', example.answer.trimEnd())
      : codeBlock('json', JSON.stringify(example.answer, null, 2)),
  ),
];

const label = (words: string): Node => element('p', { className: 'api-label' }, text(words));

const part = (title: string, parameters: Operation['parameters'], describedAt: Described): Node[] =>
  parameters.length > 0 ? [label(title), parameterFields(parameters, describedAt)] : [];

const bodyPart = (schema: Schema, describedAt: Described): Node =>
  schema.format === 'binary'
    ? paragraph('The file itself.')
    : resolved(schema).properties
      ? bodyFields(schema, describedAt)
      : paragraph('An object with any fields.');

interface Answer {
  status: string;
  description: string;
  type?: string;
  schema?: Schema;
}

function answerPart({ status, description, type, schema }: Answer, describedAt: Described): Node[] {
  const about = description ? [...sentence(description), ' '] : [];
  const says = (...content: (string | Node)[]) => [paragraph(code(status), ' ', ...about, ...content)];
  if (!schema || type !== 'application/json') return says(`${type ?? 'No content'}.`);
  const { properties, items } = resolved(schema);
  const named = objectLink(schema, describedAt);
  if (named) return says(named, '.');
  if (items) return says('A list of ', objectLink(items, describedAt) ?? 'values', '.');
  if (!properties) return says('An object.');
  const listed = properties.items?.items && objectLink(properties.items.items, describedAt);
  if (listed && Object.keys(properties).every(name => LIST_FIELDS.has(name))) {
    return says('A ', link(LISTS, 'list'), ' of ', listed, '.');
  }
  return [...says('An object with these fields:'), answerFields(schema, describedAt)];
}

/** A link to where an object is described, also for one whose fields are the same but need not all be there. */
function objectLink(schema: Schema, describedAt: Described): Node | undefined {
  // What a list leaves out of an object is left to a word.
  const own = nameOf(schema)?.replace(/^Listed/, '');
  const fields = fieldNames(schema);
  const name = [own, ...Object.keys(SCHEMAS)].find(
    candidate =>
      candidate && describedAt(candidate) && (candidate === own || fieldNames(SCHEMAS[candidate]) === fields),
  );
  return name === undefined ? undefined : link(describedAt(name) as string, name);
}

const fieldNames = (schema: Schema = {}): string =>
  Object.keys(resolved(schema).properties ?? {})
    .sort()
    .join();

function errorPart(operation: Operation): Node[] {
  // That something is broken on our side is said once for all routes.
  const errors = errorsOf(operation).filter(({ status }) => status !== '500');
  if (errors.length === 0) return [];
  return [
    label('Errors'),
    element(
      'ul',
      { className: 'api-errors' },
      errors.map(({ status, codes, description }) =>
        element(
          'li',
          {},
          code(status),
          codes.length > 0
            ? codes.map(name => [' ', link(`${ERRORS}#error-${name}`, name)])
            : [' ', ...sentence(description)],
        ),
      ),
    ),
  ];
}
