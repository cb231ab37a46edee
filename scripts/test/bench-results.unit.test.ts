import { descriptionOf, readOutput, resultsPage } from '../bench/results.mjs';

const table = '┌───┐\n│ 1 │\n└───┘';
const page = (measured: Parameters<typeof resultsPage>[0]['measured']) =>
  resultsPage({ machine: ['2 cores'], measured });
const rowOf = (text: string, name: string) => text.split('\n').find(line => line.startsWith(`| ${name} `));

test('the last line of the output is the result, and all above is the table', () => {
  const result = { bench: 'export', ratio: 1.4, goal: 0.7, better: 'higher', memory_mb: 54 };
  expect(readOutput(`${table}\n${JSON.stringify(result)}\n`)).toEqual({
    table,
    result: { ratio: 1.4, goal: 0.7, better: 'higher' },
  });
});

test.each(['', table, '{"bench":"export","ratio":null,"goal":1}'])(
  'output without a ratio has no result: %j',
  output => {
    expect(readOutput(output).result).toBeUndefined();
  },
);

test('the description is the first sentence of the comment at the top', () => {
  const source =
    '// @ts-check\n// Time of `trawl --help`, from its start\n// to its end. Goal: 1.5.\nconst a = 1; // Not this.\n';
  expect(descriptionOf(source)).toBe('Time of `trawl --help`, from its start to its end.');
});

test('the page has the median, the spread, and whether the goal is met', () => {
  const ratios = (better: 'higher' | 'lower') => [1.4, 0.9, 1.1].map(ratio => ({ ratio, goal: 1, better }));
  const text = page([
    { name: 'rate', description: 'Rate.', results: ratios('higher'), table },
    { name: 'time', description: 'Time.', results: ratios('lower'), table },
  ]);
  expect(rowOf(text, 'rate')).toBe('| rate | Rate. | 1.1 | 0.9 to 1.4 | ≥ 1 | yes |');
  expect(rowOf(text, 'time')).toBe('| time | Time. | 1.1 | 0.9 to 1.4 | ≤ 1 | no |');
  expect(text).toContain(table);
});

test('a benchmark that failed is on the page with the reason', () => {
  const text = page([
    { name: 'rate', description: 'Rate.', results: [], table: '', problem: 'no worker is connected' },
  ]);
  expect(rowOf(text, 'rate')).toContain('failed');
  expect(text).toContain('no worker is connected');
});
