import { sampleOf } from '../../../../scripts/jest/sample.js';
import type { DocumentedApi, Operation, Parameter, Schema } from '../../../test/documented-api.js';
import { ROUTES } from '../../../test/routes/index.js';
import type { Call } from '../../../test/routes/route.js';
import { goodCall, send, usualApi } from '../../../test/routes/send.js';
import { makeWorld, type World } from '../../../test/world.js';

/** An invalid or missing value in a call that is valid otherwise. */
interface Flaw {
  /** The field that the response must name: `name`, or a field within it. */
  field: string;
  what: string;
  place: 'path' | 'query' | 'headers' | 'body';
  name: string;
  value: unknown;
}

/** A call with flaws, all of which the response must name. */
interface FlawedCall {
  call: Call;
  flaws: Flaw[];
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
/** A longer text is sent in a call of its own. */
const MOST_SHARED_CHARS = 10_000;
/** Stands for no value. */
const MISSING = Symbol('missing');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

const ROUTES_HERE = sampleOf(Object.keys(ROUTES), { oneIn: 8, offset: 2 });

describe('every field of every route', () => {
  it.each(ROUTES_HERE)('%s refuses invalid values, and the error names the field', async id => {
    const operation = world.documented.operations.find(one => one.id === id);
    if (!operation) throw new Error(`${id} is not in openapi.yaml: remove its row from backend/test/routes/.`);
    const good = await goodCall(world, operation);
    const flaws = [
      ...operation.parameters.flatMap(parameter => flawsOfParameter(parameter, good)),
      ...flawsOfBody(operation),
      ...flawsOfNames(operation),
    ];
    const api = usualApi(world, operation, good);
    const wrongAnswers = async ({ call, flaws }: FlawedCall) => {
      const { status, body } = await send(world, operation, call, api);
      return flaws
        .filter(({ field, what }) => {
          const isTooLarge = what === 'too long' && body?.error_code === 'payload_too_large';
          const isNamed = status === 400 && body.error_code === 'validation_failed' && names(body.details, field);
          return !isTooLarge && !isNamed;
        })
        .map(flaw => ({ flaw, answer: `${status} ${JSON.stringify(body)?.slice(0, 300)}` }));
    };
    const sendAll = async (calls: FlawedCall[]) => (await Promise.all(calls.map(wrongAnswers))).flat();
    // Some fields are checked only if the others are valid.
    const unnamed = await sendAll(isFullTest ? flaws.map(flaw => callWith([flaw], good)) : sharedCalls(flaws, good));
    const wrong = await sendAll(unnamed.map(({ flaw }) => callWith([flaw], good)));
    expect(wrong.map(({ flaw: { field, what }, answer }) => `${field} ${what}: ${answer}`)).toEqual([]);
  });

  it('can sort a list, if the description of its `sort` names it', async () => {
    const sorted: string[] = [];
    for (const operation of world.documented.operations) {
      const description = operation.parameters.find(({ name }) => name === 'sort')?.description ?? '';
      const [, fields] = description.split('Fields: ');
      if (!fields) continue;
      const good = await goodCall(world, operation);
      const names = [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      for (const field of isFullTest ? names : [names[testSeed % names.length]]) {
        const call = { ...good, query: { ...good.query, sort: `-${field}` } };
        const { status } = await send(world, operation, call, usualApi(world, operation, good));
        sorted.push(`${operation.id} ${field} ${status}`);
      }
    }
    expect(sorted.filter(line => !line.endsWith(' 200'))).toEqual([]);
    expect(sorted.length).toBeGreaterThan(10);
  });

  it.each(ROUTES_HERE)('%s accepts only a JSON object as its body, if it takes a body', async id => {
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

/**
 * Puts the n-th flaws of all fields into one call, because an error names all invalid fields. `npm run test:full` makes
 * a call for each flaw.
 */
function sharedCalls(flaws: Flaw[], good: Call): FlawedCall[] {
  const counts = new Map<string, number>();
  const groups: Record<string, Flaw[]> = {};
  for (const flaw of flaws) {
    const { place, name, what, value } = flaw;
    const count = counts.get(`${place} ${name}`) ?? 0;
    counts.set(`${place} ${name}`, count + 1);
    const isLong = typeof value === 'string' && value.length > MOST_SHARED_CHARS;
    const isAlone = isLong || place === 'path' || place === 'headers';
    // The platform checks the names of fields before their values.
    const group = isAlone ? `${place} ${name} ${count}` : `${place} ${what === 'unknown' ? what : count}`;
    groups[group] = [...(groups[group] ?? []), flaw];
  }
  return Object.values(groups).map(group => callWith(group, good));
}

function callWith(flaws: Flaw[], good: Call): FlawedCall {
  const call = { ...good };
  for (const { place, name, value } of flaws) {
    const fields = call[place] as object | undefined;
    call[place] = value === MISSING ? without(fields, name) : withField(fields, name, value);
  }
  return { call, flaws };
}

/** Returns whether the details of an error name `field` or a field nested in it. */
const names = (details: unknown, field: string): boolean =>
  Array.isArray(details) && details.some(detail => detail.field === field || detail.field.startsWith(`${field}.`));

function flawsOfParameter({ name, in: place, required, schema }: Parameter, good: Call): Flaw[] {
  if (place === 'path') {
    const usual = good.path?.[name] ?? world.owner.things[name] ?? '';
    return UUID.test(usual) && schema.format === 'uuid' ? [flaw('path', name, 'not an id', 'not-an-id')] : [];
  }
  if (place === 'header') {
    return wrongTexts(schema).map(([what, value]) => flaw('headers', name, what, String(value)));
  }
  // Values in a query are always strings. A value has the wrong type only if its text cannot be converted.
  const wrong = wrongValues(schema).filter(
    ([what, value]) => what !== TYPED_TEXT && ['string', 'number'].includes(typeof value),
  );
  const isText = schema.type === 'string';
  return [
    ...wrong
      .filter(([what]) => !isText || what !== 'a number')
      .map(([what, value]) => flaw('query', name, what, value)),
    ...(schema.type === 'array' ? [] : [flaw('query', name, 'twice', ['1', '2'])]),
    ...(required ? [flaw('query', name, 'missing', MISSING)] : []),
  ];
}

function flawsOfBody({ body: schema }: Operation): Flaw[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, property]) => [
    ...wrongValues(property as Schema).map(([what, value]) => flaw('body', name, what, value)),
    ...flawsWithin(property as Schema).map(({ within, what, value }) =>
      flaw('body', name, what, { [within]: value }, `${name}.${within}`),
    ),
    ...(schema?.required?.includes(name) ? [flaw('body', name, 'missing', MISSING)] : []),
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

/** Returns unknown fields, including names that every JavaScript object has. */
function flawsOfNames({ body: schema }: Operation): Flaw[] {
  return ['colour', 'constructor', '__proto__'].flatMap(name => [
    flaw('query', name, 'unknown', 'red'),
    ...(schema?.properties ? [flaw('body', name, 'unknown', 'red')] : []),
  ]);
}

const flaw = (place: Flaw['place'], name: string, what: string, value: unknown, field = name): Flaw => ({
  field,
  what,
  place,
  name,
  value,
});

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
