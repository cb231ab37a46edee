import { OutputNotJsonError, outputJson } from './output-json.js';

test.each([
  [undefined, 'null'],
  [null, 'null'],
  [{ toJSON() {} }, 'null'],
  ['text', '"text"'],
  [
    { when: new Date(0), skipped: undefined, list: [1, undefined] },
    '{"when":"1970-01-01T00:00:00.000Z","list":[1,null]}',
  ],
])('the runner converts the output %p to the JSON %s', (output, json) => {
  expect(outputJson(output)).toBe(json);
});

const shared = { a: 1 };
test('the output of a run may contain the same object twice', () => {
  expect(outputJson([shared, shared])).toBe('[{"a":1},{"a":1}]');
});

const circle: Record<string, unknown> = { list: [] };
(circle.list as unknown[]).push({ parent: circle });

test.each([
  [() => 1, 'output is a function'],
  [{ items: [{}, { price: Symbol('x') }] }, 'output.items[1].price is a symbol'],
  [{ 'two words': 7n }, 'output["two words"] is a BigInt (7n)'],
  [circle, 'output.list[0].parent refers back'],
  [{ inner: { toJSON: () => ({ deep: () => 1 }) } }, 'output.inner.deep is a function'],
])('an output that JSON cannot represent is an error that names the part: %#', (output, problem) => {
  expect(() => outputJson(output)).toThrow(OutputNotJsonError);
  expect(() => outputJson(output)).toThrow(problem);
});

test('an output that is nested 100,000 levels deep is an error', () => {
  let deep: unknown = {};
  for (let n = 0; n < 100_000; n += 1) deep = { deep };
  expect(() => outputJson(deep)).toThrow('output is nested too deeply');
});

test('an error that a getter in the output throws is the error of the run', () => {
  const output = Object.defineProperty({}, 'bad', {
    enumerable: true,
    get() {
      throw new TypeError('mine');
    },
  });
  expect(() => outputJson(output)).toThrow(TypeError);
});
