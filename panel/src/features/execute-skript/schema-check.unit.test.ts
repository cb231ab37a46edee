import { checkInput, messageOfProblems } from './schema-check.js';

const messageFor = (schema: object, input: Parameters<typeof checkInput>[1]) =>
  messageOfProblems(checkInput(schema, input), input);

describe('the check of an input against its JSON schema', () => {
  it.each([
    [{ type: 'integer' }, 1.5, 'Enter a whole number'],
    [{ type: ['string', 'null'] }, 1, 'Enter a text or null'],
    [{ enum: ['price', 2, null, 'a', 'b', 'c'] }, 3, 'Enter one of these: price, 2, null, a, b and 1 more'],
    [{ const: { a: 1 } }, 3, 'Enter {"a":1}'],
    [{ minimum: 1 }, 0, 'Enter 1 or more'],
    [{ maximum: 1 }, 2, 'Enter 1 or less'],
    [{ exclusiveMinimum: 0 }, 0, 'Enter more than 0'],
    [{ exclusiveMaximum: 0 }, 0, 'Enter less than 0'],
    [{ multipleOf: 0.1 }, 0.25, 'Enter a multiple of 0.1'],
    [{ minLength: 1 }, '', 'Enter at least 1 character'],
    [{ maxLength: 2 }, 'abc', 'Enter at most 2 characters'],
    [{ pattern: '^a$' }, 'b', 'This does not match the pattern ^a$'],
    [{ format: 'uri' }, 'example', 'Enter a URL, such as https://example.com/'],
    [{ format: 'email' }, 'a', 'Enter an e-mail address, such as name@example.com'],
    [{ format: 'json-pointer' }, 'a', 'Enter a value of the format json-pointer'],
    [{ minItems: 2 }, [1], 'Enter at least 2 items'],
    [{ maxItems: 1 }, [1, 2], 'Enter at most 1 item'],
    [{ uniqueItems: true }, [1, 1], 'Enter each item only once'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, 'Enter at most 1 property'],
    [{ required: ['a', 'b'] }, { a: 1 }, 'b: This field is required'],
    [{ dependentRequired: { a: ['b'], c: ['d'] } }, { a: 1 }, 'b: This field is required'],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, 'b: The skript takes no such value'],
    [{ anyOf: [{ type: 'string' }, { minimum: 1 }] }, 0, 'The skript takes another value: see its input_schema'],
    [{ not: { type: 'string' } }, 'a', 'The skript takes another value: see its input_schema'],
    [{ if: { type: 'number' }, else: { minLength: 2 } }, 'a', 'Enter at least 2 characters'],
  ])('with the schema %j refuses %j', (schema, input, message) => {
    expect(messageFor(schema, input)).toBe(message);
  });

  it('names the path of each problem, also in schemas that use references', () => {
    const shop = { properties: { name: { type: 'string', minLength: 2 }, 'a/b %': { type: 'number' } } };
    const schema = { properties: { shops: { items: { $ref: '#/$defs/shop' } }, pages: { $ref: '#/$defs/n~1m' } } };
    const input = { shops: [{ name: 'ok' }, { name: 'x', 'a/b %': '1' }], pages: 'x' };
    expect(messageFor({ ...schema, $defs: { shop, 'n/m': { type: 'integer' } } }, input)).toBe(
      'shops[1].name: Enter at least 2 characters; shops[1]["a/b %"]: Enter a number; pages: Enter a whole number',
    );
  });

  it('names five problems and counts the remaining ones', () => {
    expect(messageFor({ items: { type: 'string' } }, [1, 2, 3, 4, 5, 6, 7])).toMatch(
      /^Item 1: Enter a text; .*; Item 5: Enter a text; and 2 more$/,
    );
  });

  it('accepts times as browser fields send them, and URLs of localhost', () => {
    expect(checkInput({ format: 'time' }, '12:30')).toEqual([]);
    expect(checkInput({ format: 'time' }, '25:30:00')).toHaveLength(1);
    expect(checkInput({ format: 'url' }, 'http://localhost:3000/')).toEqual([]);
  });

  it('obeys the draft that the schema names, and does not modify the schema', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] };
    const before = structuredClone(schema);
    expect(messageFor(schema, [1])).toBe('Item 1: Enter a text');
    expect(schema).toStrictEqual(before);
    expect(Object.getOwnPropertyNames(schema)).toEqual(['$schema', 'items']);
  });

  it.each([[{ $ref: '#/$defs/none' }], [{ $ref: '#' }]])(
    'accepts any input if the reference in %j cannot be resolved',
    schema => {
      expect(checkInput(schema, 1)).toEqual([]);
    },
  );
});
