import { descriptionOf, readOutput, resultsPage } from '../bench/results.mjs';

const table = '┌───┐\n│ 1 │\n└───┘';
const measuredAt = { versions: '2026-11-22, commit 1234567', machine: '2 cores' };
const rowOf = (text: string, name: string) => text.split('\n').find(line => line.startsWith(`| ${name} `));

test('the last line of a benchmark’s output is its result, and the text above is its table', () => {
  const result = { bench: 'export', ratio: 1.4, goal: 0.7, better: 'higher', memory_mb: 54 };
  expect(readOutput(`${table}\n${JSON.stringify(result)}\n`)).toEqual({
    table,
    result: { ratio: 1.4, goal: 0.7, better: 'higher', others: {} },
  });
});

test.each(['', table, '{"bench":"export","ratio":null,"goal":1}'])(
  'benchmark output without a ratio has no result: %j',
  output => {
    expect(readOutput(output).result).toBeUndefined();
  },
);

test('the description of a benchmark is the first sentence of the comment at the top of its file', () => {
  const source =
    '// @ts-check\n// Time of `trawl --help`, from its start\n// to its end. Goal: 1.5.\nconst a = 1; // Not this.\n';
  expect(descriptionOf(source)).toBe('Time of `trawl --help`, from its start to its end.');
});

test('the page of benchmark results has the median, the spread, and whether the goal is met', () => {
  const ratios = (better: 'higher' | 'lower') => [1.4, 0.9, 1.1].map(ratio => ({ ratio, goal: 1, better, others: {} }));
  const text = resultsPage([
    { name: 'rate', description: 'Rate.', ...measuredAt, results: ratios('higher'), table },
    { name: 'time', description: 'Time.', ...measuredAt, results: ratios('lower'), table },
  ]);
  expect(rowOf(text, 'rate')).toBe('| rate | Rate. | 1.1 | 0.9 to 1.4 | ≥ 1 | yes |');
  expect(rowOf(text, 'time')).toBe('| time | Time. | 1.1 | 0.9 to 1.4 | ≤ 1 | no |');
  expect(text).toContain(table);
  expect(text).toContain('Machine: 2 cores.');
});

test('on the page of benchmark results, comparisons with other products have rows of their own', () => {
  const lines = [2, 3, 2.5].map(ratio =>
    JSON.stringify({
      bench: 'list',
      ratio: 1,
      goal: 1,
      scrapy: { ratio, goal: 2, better: 'higher' },
      api: [
        { what: 'warm', ratio: 0.5, goal: 0.7 },
        { what: 'slow disk', ratio: 0.4, goal: '-' },
      ],
      memory: { value: 3, goal: 4 },
    }),
  );
  const results = lines.flatMap(line => readOutput(line).result ?? []);
  const text = resultsPage([{ name: 'list', description: 'List.', ...measuredAt, results, table }]);
  expect(text.split('\n').filter(line => line.startsWith('| list '))).toEqual([
    '| list | List. | 1 | 1 to 1 | ≤ 1 | yes |',
    '| list | scrapy | 2.5 | 2 to 3 | ≥ 2 | yes |',
    '| list | warm | 0.5 | 0.5 to 0.5 | ≤ 0.7 | yes |',
  ]);
});

test('the page of benchmark results lists a failed benchmark with the reason', () => {
  const text = resultsPage([
    {
      name: 'rate',
      description: 'Rate.',
      ...measuredAt,
      results: [],
      table: '',
      problem: 'no worker is connected',
    },
  ]);
  expect(rowOf(text, 'rate')).toContain('failed');
  expect(text).toContain('no worker is connected');
});
