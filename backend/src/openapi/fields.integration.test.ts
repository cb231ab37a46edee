import type { DocumentedApi, Operation, Parameter, Schema } from '../../test/documented-api.js';
import { ROUTES } from '../../test/routes/index.js';
import type { Call } from '../../test/routes/route.js';
import { goodCall, send, usualApi } from '../../test/routes/send.js';
import { makeWorld, type World } from '../../test/world.js';

/** A call that is valid except for one field. */
interface Flaw {
  field: string;
  what: string;
  call: Call;
}

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world?.close());

/**
 * A text of this length makes every body too large, so the call fails with `payload_too_large` instead of naming the
 * field.
 */
const MOST_CHARS = 4 * 1024 * 1024;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

describe('every field of every route', () => {
  it.each(Object.keys(ROUTES))('%s names an invalid field', async id => {
    const operation = world.documented.operations.find(one => one.id === id);
    if (!operation) throw new Error(`${id} is not in openapi.yaml: remove its row from backend/test/routes/.`);
    const good = await goodCall(world, operation);
    const flaws = [
      ...operation.parameters.flatMap(parameter => flawsOfParameter(parameter, good)),
      ...flawsOfBody(operation, good),
      ...flawsOfNames(operation, good),
    ];
    const api = usualApi(world, operation, good);
    const taken = await Promise.all(
      flaws.map(async ({ field, what, call }) => {
        const { status, body } = await send(world, operation, call, api);
        const isTooLarge = what === 'too long' && body?.error_code === 'payload_too_large';
        const isNamed = status === 400 && body.error_code === 'validation_failed' && names(body.details, field);
        return isTooLarge || isNamed ? [] : [`${field} ${what}: ${status} ${JSON.stringify(body)?.slice(0, 300)}`];
      }),
    );
    expect(taken.flat()).toEqual([]);
  });

  it('can sort a list, if the description of its `sort` names it', async () => {
    const sorted: string[] = [];
    for (const operation of world.documented.operations) {
      const description = operation.parameters.find(({ name }) => name === 'sort')?.description ?? '';
      const [, fields = ''] = description.split('Fields: ');
      const good = await goodCall(world, operation);
      for (const [, field] of fields.matchAll(/`(\w+)`/g)) {
        const call = { ...good, query: { ...good.query, sort: `-${field}` } };
        const { status } = await send(world, operation, call, usualApi(world, operation, good));
        sorted.push(`${operation.id} ${field} ${status}`);
      }
    }
    expect(sorted.filter(line => !line.endsWith(' 200'))).toEqual([]);
    expect(sorted).toContain('listSkripts title 200');
  });

  it.each(Object.keys(ROUTES))('%s accepts only an object as its body, if it takes one', async id => {
    const operation = world.documented.operations.find(one => one.id === id) as Operation;
    if (operation.body?.type !== 'object') return;
    const good = await goodCall(world, operation);
    for (const body of ['null', '7', '"text"', 'true', '[]', '[{}]']) {
      const answer = await send(world, operation, { ...good, body }, usualApi(world, operation, good));
      expect([body, answer.status, answer.body]).toEqual([
        body,
        400,
        expect.objectContaining({ error_message: expect.stringContaining('JSON object') }),
      ]);
    }
    const without = await send(world, operation, { ...good, body: undefined }, usualApi(world, operation, good));
    const mayBeEmpty = !operation.body.required?.length;
    if (!mayBeEmpty) expect([without.status, without.body]).toEqual([400, expect.anything()]);
  });
});

/** Returns whether the details of an error name `field` or a field nested in it. */
const names = (details: unknown, field: string): boolean =>
  Array.isArray(details) && details.some(detail => detail.field === field || detail.field.startsWith(`${field}.`));

function flawsOfParameter({ name, in: place, required, schema }: Parameter, good: Call): Flaw[] {
  if (place === 'path') {
    const usual = good.path?.[name] ?? world.owner.things[name] ?? '';
    return UUID.test(usual) && schema.format === 'uuid'
      ? [flaw(name, 'not an id', { ...good, path: { ...good.path, [name]: 'not-an-id' } })]
      : [];
  }
  if (place === 'header') {
    return wrongTexts(schema).map(([what, value]) =>
      flaw(name, what, { ...good, headers: { ...good.headers, [name]: String(value) } }),
    );
  }
  const withValue = (value: unknown): Call => ({ ...good, query: { ...good.query, [name]: value } });
  // Values in a query are always strings. A value has the wrong type only if its text cannot be converted.
  const wrong = wrongValues(schema).filter(
    ([what, value]) => what !== TYPED_TEXT && ['string', 'number'].includes(typeof value),
  );
  const isText = schema.type === 'string';
  return [
    ...wrong
      .filter(([what]) => !isText || what !== 'a number')
      .map(([what, value]) => flaw(name, what, withValue(value))),
    ...(schema.type === 'array' ? [] : [flaw(name, 'twice', withValue(['1', '2']))]),
    ...(required ? [flaw(name, 'missing', { ...good, query: without(good.query, name) })] : []),
  ];
}

function flawsOfBody({ body: schema }: Operation, good: Call): Flaw[] {
  const usual = good.body as Record<string, unknown>;
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => [
    ...wrongValues(property as Schema).map(([what, value]) =>
      flaw(name, what, { ...good, body: { ...usual, [name]: value } }),
    ),
    ...flawsWithin(property as Schema).map(({ within, what, value }) =>
      flaw(`${name}.${within}`, what, { ...good, body: { ...usual, [name]: { [within]: value } } }),
    ),
    ...(schema?.required?.includes(name) ? [flaw(name, 'missing', { ...good, body: without(usual, name) })] : []),
  ]);
}

/**
 * Returns invalid values for the fields of an object, if its fields are documented. `within` is the name of the nested
 * field.
 */
function flawsWithin(schema: Schema): { within: string; what: string; value: unknown }[] {
  const { type, properties } = ofOne(world.documented, schema);
  if (type !== 'object' || !properties) return [];
  return [
    { within: 'colour', what: 'unknown', value: 'red' },
    ...Object.entries(properties as Record<string, Schema>).flatMap(([within, property]) =>
      wrongValues(property).map(([what, value]) => ({ within, what, value })),
    ),
  ];
}

/** Returns calls with an unknown field, including names that every JavaScript object has. */
function flawsOfNames({ body: schema }: Operation, good: Call): Flaw[] {
  return ['colour', 'constructor', '__proto__'].flatMap(name => [
    flaw(name, 'unknown', { ...good, query: withField(good.query, name, 'red') }),
    ...(schema?.properties
      ? [flaw(name, 'unknown', { ...good, body: withField(good.body as object, name, 'red') })]
      : []),
  ]);
}

const flaw = (field: string, what: string, call: Call): Flaw => ({ field, what, call });

type Wrong = [what: string, value: unknown];

/** The description of a number or boolean that is sent as text. It is valid in a query and invalid in a body. */
const TYPED_TEXT = 'a text that reads as one';

/** Returns values that `schema` refuses. Returns an empty list if the schema accepts any value. */
function wrongValues(schema: Schema): Wrong[] {
  const { type, nullable, ...rest } = ofOne(world.documented, schema);
  if (type === undefined && !rest.enum) return [];
  const others: Wrong[] = [
    ['a number', 7.5],
    ['true', true],
    ['an object', { a: 1 }],
    ['an object whose text cannot be made', { toString: 1, valueOf: 1 }],
    ['an object whose text reads as one', { toString: 'true', length: 1 }],
    ['a list', [[1]]],
    ['a list of one truth value', [true]],
    ['a list of one number', [1]],
    ['null', null],
  ];
  const isOfType: Record<string, (value: unknown) => boolean> = {
    integer: Number.isInteger,
    number: value => typeof value === 'number',
    boolean: value => typeof value === 'boolean',
    object: value => typeof value === 'object' && value !== null && !Array.isArray(value),
    array: Array.isArray,
  };
  return [
    ...others.filter(([, value]) => !isOfType[type]?.(value) && !(nullable && value === null)),
    ...(type === 'string' ? wrongTexts(rest) : [['a text', 'maybe'] as Wrong]),
    ...(type === 'boolean' ? [[TYPED_TEXT, 'true'] as Wrong, [TYPED_TEXT, 'false'] as Wrong] : []),
    ...(type === 'integer' ? [[TYPED_TEXT, String(rest.minimum ?? 1)] as Wrong] : []),
    ...(rest.minimum === undefined ? [] : [['too small', rest.minimum - 1] as Wrong]),
    ...(rest.maximum === undefined ? [] : [['too large', rest.maximum + 1] as Wrong]),
    ...(rest.maxItems === undefined ? [] : [['too many', Array(rest.maxItems + 1).fill('x')] as Wrong]),
  ];
}

function wrongTexts({ minLength, maxLength, format, pattern, enum: values }: Schema): Wrong[] {
  const unlike = ['   ', '\u{1f5ff}\n'].find(text => pattern && !new RegExp(pattern, 'u').test(text));
  return [
    ...(maxLength === undefined ? [] : [['too long', 'x'.repeat(Math.min(maxLength, MOST_CHARS) + 1)] as Wrong]),
    ...(minLength ? [['too short', 'x'.repeat(minLength - 1)] as Wrong] : []),
    ...(values || ['uuid', 'date-time'].includes(format) ? [['of no such value', 'colour'] as Wrong] : []),
    ...(unlike === undefined ? [] : [['not of its pattern', unlike] as Wrong]),
  ];
}

/** Replaces references, and an `allOf` with one entry, by the schema that they stand for. */
function ofOne(documented: DocumentedApi, schema: Schema): Schema {
  const { allOf, ...rest } = documented.resolve(schema);
  if (allOf?.length === 1) return { ...ofOne(documented, allOf[0]), ...rest };
  if (!Array.isArray(rest.type)) return rest;
  const [type] = rest.type.filter(one => one !== 'null');
  return { ...rest, type, nullable: rest.type.includes('null') };
}

const without = (fields: object | undefined, name: string) =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([field]) => field !== name));

/** Returns a copy of the object with one more field. The name may be any text, even `__proto__`. */
const withField = (fields: object | undefined, name: string, value: unknown) =>
  Object.defineProperty({ ...fields }, name, { value, enumerable: true }) as Record<string, unknown>;
