import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_ERRORS, type ApiErrorCode } from '@trawl/contracts';
import { Ajv } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { parse } from 'yaml';

type Schema = Record<string, any>;

const ROOT = join(__dirname, '../../../..');
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

/** Builds an example of a schema from the examples of its fields. */
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

/**
 * The schemas of all request and response bodies, except the shared responses of errors. `place` says where each is in
 * the file.
 */
const contents: [place: string, schema: Schema][] = operations.flatMap(({ operationId, requestBody, responses }) => {
  const parts = [['body', requestBody], ...Object.entries(responses)] as [string, Schema | undefined][];
  return parts.flatMap(([place, part]) =>
    Object.entries<Schema>(part?.content ?? {})
      .filter(([type]) => type === 'application/json')
      .map(([, { schema }]): [string, Schema] => [`${operationId} ${place}`, schema]),
  );
});

const withoutOwnEnum = ({ enum: _enum, ...schema }: Schema): Schema => schema;

describe('openapi.yaml', () => {
  it.each(contents)('has examples that make a valid %s', (_place, schema) => {
    const example = composed(schema);
    expect({ example, problems: problemsOf(schema, example) }).toEqual({ example, problems: [] });
  });

  it('has a valid example for each text parameter', () => {
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

  it('documents the error unauthorized for exactly the routes that need a token', () => {
    expect(document.security).toEqual([{ bearer: [] }]);
    for (const { operationId, security = document.security, 'x-error-codes': codes } of operations) {
      expect([operationId, codes.includes('unauthorized')]).toEqual([operationId, security.length > 0]);
    }
  });

  it('has an example for each error code of a route in the response of its status', () => {
    const missing = operations.flatMap(({ operationId, responses, 'x-error-codes': codes }) =>
      (codes as ApiErrorCode[])
        .filter(code => !(code in resolved(responses[API_ERRORS[code]]).content['application/json'].examples))
        .map(code => `${operationId} ${code}`),
    );
    expect(missing).toEqual([]);
  });

  it('has unique operation ids that are valid method names', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter(id => !/^[a-z]+([A-Z][a-z]*)*$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('defines every enum as a named schema, and writes its values once', () => {
    const { schemas, parameters } = document.components;
    expect(schemas.ListedExecution.properties.action.allOf).toEqual([{ $ref: '#/components/schemas/RunAction' }]);
    const inline: unknown[] = [];
    const parts = JSON.stringify([document.paths, parameters, Object.values<Schema>(schemas).map(withoutOwnEnum)]);
    JSON.parse(parts, (_key, part) => {
      if (Array.isArray(part?.enum) && part.enum.length > 1) inline.push(part.enum);
      return part;
    });
    expect(inline).toEqual([]);
  });

  it('gives no schema the name of a parameter, because some generators write both to one file', () => {
    const { schemas, parameters } = document.components;
    expect(Object.keys(schemas).filter(name => name in parameters)).toEqual([]);
  });

  it('groups routes by tag, in the order of the tags, with at least one route each', () => {
    const tags = document.tags.map(({ name }: Schema) => name);
    const used = operations.map(operation => operation.tags[0]);
    expect(used.filter((tag, index) => tag !== used[index - 1])).toEqual(tags);
  });

  it('allows unknown fields only in users’ own documents', () => {
    const bodies = operations.flatMap(({ operationId, requestBody }) =>
      Object.entries<Schema>(requestBody?.content ?? {})
        .filter(([type]) => type === 'application/json')
        .map(([, { schema }]) => [operationId, resolved(schema).additionalProperties]),
    );
    expect(bodies.filter(([, more]) => more !== false && more !== true)).toEqual([]);
  });
});
