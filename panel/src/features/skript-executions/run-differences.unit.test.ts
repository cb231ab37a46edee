import type { Execution } from '../../api/entities.js';
import { comparedFacts, valuesDiffer } from './run-differences.js';

const run = (changes: Partial<Execution>) =>
  ({
    action: 'end',
    error_code: null,
    skript: { id: 's', name: 'shop', category: '' },
    bundle_hash: 'a'.repeat(64),
    version_number: 14,
    worker: { id: 'w', name: 'paris' },
    input: null,
    input_value: { pages: 1 },
    inputSecret: null,
    attempt: 1,
    started_at: '2026-11-22T10:00:00Z',
    ended_at: '2026-11-22T10:00:02Z',
    rows: 1200,
    last_seq: 3,
    ...changes,
  }) as Execution;

it('the comparison of two runs marks the facts that differ', () => {
  const facts = comparedFacts(
    run({}),
    run({ rows: 0, ended_at: '2026-11-22T10:01:05Z', bundle_hash: 'b'.repeat(64), version_number: null }),
  );
  expect(facts.filter(({ differs }) => differs).map(({ name, one, other }) => [name, one, other])).toEqual([
    ['Version', '14', 'bbbbbbbbbb'],
    ['Duration', '2 s', '1 min 5 s'],
    ['Dataset rows', '1,200', '0'],
  ]);
  expect(facts.find(({ name }) => name === 'Input')?.one).toBe('typed');
});

it('valuesDiffer compares inputs by their content', () => {
  expect(valuesDiffer({ a: [1] }, { a: [1] })).toBe(false);
  expect(valuesDiffer({ a: [1] }, { a: [2] })).toBe(true);
  expect(valuesDiffer(undefined, null)).toBe(false);
});
