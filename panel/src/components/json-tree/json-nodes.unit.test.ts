import { childrenOf, parseJson, previewOf, toNode } from './json-nodes.js';

describe('the JSON tree', () => {
  it.each([
    [{ a: 1, b: 2 }, 'object', '{ 2 }'],
    [[1, 2, 3], 'array', '[ 3 ]'],
    [{}, 'object', '{}'],
    [[], 'array', '[]'],
    ['a "quoted" text', 'string', '"a \\"quoted\\" text"'],
    [0, 'number', '0'],
    [false, 'boolean', 'false'],
    [null, 'null', 'null'],
  ])('shows %j as a node of the kind %s', (value, kind, text) => {
    expect(toNode('name', value)).toMatchObject({ kind, text });
  });

  it('returns the items of a huge array in parts, each with its index', () => {
    const node = toNode(
      null,
      Array.from({ length: 250 }, (_, index) => index * 10),
    );
    expect(childrenOf(node, 100, 100).map(({ name }) => name)).toEqual(
      Array.from({ length: 100 }, (_, index) => String(100 + index)),
    );
    expect(childrenOf(node, 200, 100)).toHaveLength(50);
  });

  it('shortens the preview of a folded object', () => {
    const value = { title: 'Salt', price: 9, description: 'x'.repeat(200), a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 };
    expect(previewOf(toNode(null, value))).toMatch(/^\{ "title": "Salt", "price": 9, "description": "x+…", .*… \}$/);
    expect(previewOf(toNode(null, value)).length).toBeLessThan(100);
  });

  it('shows fields whose names are those of inherited properties, such as constructor', () => {
    const node = toNode(null, JSON.parse('{ "constructor": "Ferrari", "__proto__": { "toString": 1 } }'));
    expect(previewOf(node)).toBe('{ "constructor": "Ferrari", "__proto__": { 1 } }');
    expect(childrenOf(node, 0, 10).map(previewOf)[1]).toBe('{ "toString": 1 }');
  });

  it('returns an error for text that is not valid JSON', () => {
    expect(parseJson('{"a":1}')).toEqual({ value: { a: 1 } });
    expect(parseJson('{a:1}')).toEqual({ error: expect.stringMatching(/JSON/) });
  });
});
