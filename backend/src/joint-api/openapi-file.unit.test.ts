import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { parse } from 'yaml';

type Schema = Record<string, any>;

const ROOT = join(__dirname, '../../..');
const document = parse(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8')) as Schema;
const operations: Schema[] = Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Schema>(methods).map(([method, operation]) => ({ ...operation, method, path })),
);

const resolved = (part: Schema): Schema =>
  part.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((value: Schema, key: string) => value[key], document)
    : part;

/** What a reader of the document would send or expect: each field as its own example says. */
function composed(part: Schema): unknown {
  const schema = resolved(part);
  if (schema.example !== undefined) return schema.example;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.oneOf) return composed(schema.oneOf[0]);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(composed));
  if (schema.items) return [composed(schema.items)];
  const properties = Object.entries<Schema>(schema.properties ?? {}).filter(([, property]) => !property.readOnly);
  if (properties.length === 0) return schema.type === undefined ? 'any value' : {};
  return Object.fromEntries(properties.map(([name, property]) => [name, composed(property)]));
}

const ajv = new Ajv({ strict: true, allErrors: true, formats: { ...fullFormats, binary: true } });
ajv.addVocabulary(['components', 'example']);
const absolute = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi.yaml#/components/'));
ajv.addSchema({ $id: 'openapi.yaml', components: { schemas: document.components.schemas } });
function problemsOf(schema: Schema, value: unknown): unknown[] {
  const validate = ajv.compile(absolute(schema));
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Bodies and answers, with where they are. */
const contents: [place: string, schema: Schema][] = operations.flatMap(({ operationId, requestBody, responses }) => {
  const parts = [['body', requestBody], ...Object.entries(responses)] as [string, Schema | undefined][];
  return parts.flatMap(([place, part]) =>
    Object.entries<Schema>((part && resolved(part).content) ?? {})
      .filter(([type]) => type === 'application/json')
      .map(([, { schema }]): [string, Schema] => [`${operationId} ${place}`, schema]),
  );
});

describe('openapi.yaml', () => {
  it.each(contents)('has examples that make a valid %s', (_place, schema) => {
    const example = composed(schema);
    expect({ example, problems: problemsOf(schema, example) }).toEqual({ example, problems: [] });
  });

  it('has an example of each parameter that is a text, and none that is not valid', () => {
    const parameters = operations.flatMap(({ parameters = [] }) => parameters.map(resolved));
    const without = parameters.filter(({ schema, example = schema.example ?? schema.default ?? schema.enum?.[0] }) =>
      example === undefined ? schema.type === 'string' && !schema.format : problemsOf(schema, example).length > 0,
    );
    expect([...new Set(without.map(({ name }) => name))]).toEqual([]);
  });

  it('has valid examples of each error, with its code', () => {
    for (const [name, { content }] of Object.entries<Schema>(document.components.responses)) {
      const { schema, examples } = content['application/json'];
      for (const [code, { value }] of Object.entries<Schema>(examples)) {
        expect([name, code, problemsOf(schema, value)]).toEqual([name, value.error_code, []]);
      }
    }
  });

  it('says of each route who may call it, and what whoever may not is answered', () => {
    for (const { operationId, security, responses } of operations) {
      expect([operationId, Array.isArray(security), '401' in responses]).toEqual([
        operationId,
        true,
        security.length > 0 || operationId === 'login',
      ]);
    }
  });

  it('has operation ids that make method names, each once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter(id => !/^[a-z]+([A-Z][a-z]*)*$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('has the routes of a tag together, in the order of its tags, none of which is without a route', () => {
    const tags = document.tags.map(({ name }: Schema) => name);
    const used = operations.map(operation => operation.tags[0]);
    expect(used.filter((tag, index) => tag !== used[index - 1])).toEqual(tags);
  });

  it('takes no field that it does not know, but in what is a document of the user’s', () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) =>
      Object.entries<Schema>(requestBody?.content ?? {})
        .filter(([type]) => type === 'application/json')
        .map(([, { schema }]) => [operationId, resolved(schema).additionalProperties]),
    );
    expect(bodies.filter(([, more]) => more !== false && more !== true)).toEqual([]);
  });
});
