import { commandsOf } from './commands.js';
import { entriesOf, fieldsOf, inputOf, problemsOf } from './schema-form.js';

const schema = {
  type: 'object',
  required: ['url', 'pages', 'deep'],
  properties: {
    url: { type: 'string', format: 'uri', title: 'Address', default: 'http://127.0.0.1:3001/' },
    pages: { type: 'integer', minimum: 1, maximum: 50 },
    deep: { type: 'boolean' },
    sort: { enum: ['price', 2, null] },
    tags: { type: 'array', items: { type: 'string', minLength: 1 } },
    shops: { type: 'array', items: { $ref: '#/$defs/shop' } },
    code: { type: 'string', pattern: '^[A-Z]{2}$' },
    headers: { type: 'object', properties: { host: { type: 'string' } } },
  },
  $defs: { shop: { enum: ['north', 'south'] } },
};
const fields = fieldsOf(schema) ?? [];

describe('the form for an input schema', () => {
  it('has a field of the fitting kind for each property', () => {
    expect(fields.map(({ label, kind }) => [label, kind])).toEqual([
      ['Address', 'text'],
      ['pages', 'number'],
      ['deep', 'yes or no'],
      ['sort', 'choice'],
      ['tags', 'list'],
      ['shops', 'choices'],
      ['code', 'text'],
      ['headers', 'json'],
    ]);
    expect(fields[5]?.choices).toEqual(['north', 'south']);
    expect(fields[0]?.inputType).toBe('url');
  });

  it.each([[null], [{ type: 'string' }], [{ properties: {} }], [[]]])('does not exist for the schema %j', none => {
    expect(fieldsOf(none)).toBeNull();
  });

  it('starts with the defaults or an earlier input, and returns that input unchanged', () => {
    expect(entriesOf(fields)).toMatchObject({ url: 'http://127.0.0.1:3001/', pages: undefined });
    const input = {
      url: 'https://shop.example/',
      pages: 3,
      deep: false,
      sort: 2,
      tags: ['a'],
      shops: ['south'],
      code: 'DE',
      headers: { a: [1] },
    };
    expect(inputOf(fields, entriesOf(fields, input))).toEqual(input);
    expect(problemsOf(schema, fields, entriesOf(fields, input))).toEqual({ fields: {} });
  });

  it('leaves out empty optional fields, and names the problem of each invalid one', () => {
    expect(inputOf(fields, { url: 'x', pages: '2', tags: [], code: '' })).toEqual({ url: 'x', pages: 2, deep: false });
    expect(problemsOf(schema, fields, { pages: '2.5', code: 'de', headers: '{' })).toEqual({
      fields: {
        url: 'This field is required',
        pages: 'Enter a whole number',
        code: 'This does not match the pattern ^[A-Z]{2}$',
        headers: expect.stringContaining('Not valid JSON'),
      },
    });
    expect(problemsOf(schema, fields, { url: 'shop', pages: '51', tags: ['sea', ''], headers: '{"host": 1}' })).toEqual(
      {
        fields: {
          url: 'Enter a URL, such as https://example.com/',
          pages: 'Enter 50 or less',
          tags: 'Item 2: Enter at least 1 character',
          headers: 'host: Enter a text',
        },
      },
    );
  });

  it('reports problems of the whole input and of properties without a field', () => {
    const all = { properties: { a: {}, b: {} }, required: ['c'], minProperties: 2 };
    expect(problemsOf(all, fieldsOf(all) ?? [], {})).toEqual({
      fields: {},
      whole: 'c: This field is required; Enter at least 2 properties',
    });
  });

  it.each(['pages', 'headers'])('refuses a number in %s whose digits would change when sent', name => {
    const large = { properties: { pages: { type: 'number' }, headers: { type: 'object' } } };
    const inForm = (number: string) =>
      problemsOf(large, fieldsOf(large) ?? [], {
        [name]: name === 'pages' ? number : `{ "n": ["1\\"${'9'.repeat(20)}", ${number}] }`,
      });
    for (const number of ['12345678901234567890', '-9007199254740993', '12345678901234567890.5', '1e400']) {
      const message = `${number} is too large to be kept exactly. Enter a number between -9007199254740991 and 9007199254740991`;
      expect(inForm(number)).toEqual({ fields: { [name]: message } });
    }
    for (const number of ['9007199254740991', '1e21', '0.10']) expect(inForm(number)).toEqual({ fields: {} });
  });

  it('sends null if null is one of the choices', () => {
    expect(inputOf(fields, { sort: 'null' })).toEqual({ deep: false, sort: null });
  });
});

describe('the commands shown for a start', () => {
  const request = {
    skript_id: 's1',
    worker_ids: ['any'],
    force: false,
    input: { from: 'typed', input: { q: "it's" }, inputSecret: { key: 'hidden' } },
    limits: { retries: 2 },
  } as const;

  it('quote the body for the shell, and do not contain the typed secret', () => {
    const { curl, javascript } = commandsOf(request, 'https://trawl.example');
    expect(curl).toContain("'https://trawl.example/joint-api/execute-skript/single-worker/start?retries=2'");
    expect(curl).toContain(`"q": "it'\\''s"`);
    expect(javascript).toContain(`q: "it's"`.replace('q:', '"q":'));
    for (const command of [curl, javascript]) {
      expect(command).not.toContain('hidden');
      expect(command).toContain('$TRAWL_TOKEN'.slice(1));
    }
  });

  it('list several workers, and refer to saved inputs by id', () => {
    const { curl } = commandsOf(
      {
        ...request,
        worker_ids: ['w1', 'w2'],
        input: { from: 'stored', input_id: 'i1', inputSecret_id: null },
        force: true,
      },
      'https://trawl.example',
    );
    expect(curl).toContain('/multi-worker/start?force=true&retries=2');
    expect(JSON.parse(/-d '([\s\S]*)'$/.exec(curl)?.[1] ?? '')).toEqual({
      skript_id: 's1',
      worker_ids: ['w1', 'w2'],
      input_id: 'i1',
    });
  });
});
