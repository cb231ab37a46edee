import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { kindName, operationNames } from './src/features/audit-log/audit-names.js';

const document = parse(readFileSync('openapi.yaml', 'utf8'));
const names = operationNames(document);

it('each operation that changes something has a name of its own in plain words', () => {
  const changing = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(item =>
    Object.entries(item).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
  );
  expect(changing.filter(id => !/^[A-Z][a-z]*( [^ ]+)*$/.test(names.get(id) ?? ''))).toEqual([]);
  const recordedGets = ['startStoredSkript', 'stopSkript', 'pauseSkript', 'resumeSkript', 'downloadAccountArchive'];
  expect(recordedGets.filter(id => !names.has(id))).toEqual([]);
  expect(new Set(names.values()).size).toBe(names.size);
  expect(names.get('deleteSkript')).toBe('Delete a skript');
});

it.each([
  ['skript', 'skript'],
  ['inputSecret', 'input secret'],
  ['worker_group', 'worker group'],
  ['db', 'database'],
])('%s is called %s', (kind, name) => {
  expect(kindName(kind)).toBe(name);
});
