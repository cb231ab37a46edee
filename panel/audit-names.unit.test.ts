import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { FREE_FIELDS, fieldName, kindName, operationNames } from './src/features/audit-log/audit-names.js';

const document = parse(readFileSync('openapi.yaml', 'utf8'));
const names = operationNames(document);

it('the audit log has a unique name in plain words for each operation that changes something', () => {
  const changing = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(item =>
    Object.entries(item).flatMap(([method, { operationId }]) => (method === 'get' ? [] : [operationId])),
  );
  expect(changing.filter(id => !/^[A-Z][a-z]*( [^ ]+)*$/.test(names.get(id) ?? ''))).toEqual([]);
  const recordedGets = [
    'startStoredSkript',
    'stopSkript',
    'pauseSkript',
    'resumeSkript',
    'downloadAccountArchive',
    'exportSiteSession',
    'useSiteSession',
  ];
  expect(recordedGets.filter(id => !names.has(id))).toEqual([]);
  expect(new Set(names.values()).size).toBe(names.size);
  expect(names.get('deleteSkript')).toBe('Delete a skript');
});

it.each([
  ['skript', 'skript'],
  ['inputSecret', 'input secret'],
  ['siteSession', 'session'],
  ['worker_group', 'worker group'],
  ['db', 'database'],
  ['skriptExecutions', 'runs'],
])('the audit log shows the kind `%s` as “%s”', (kind, name) => {
  expect(kindName(kind)).toBe(name);
});

it.each([
  ['skript_id', 'skript'],
  ['worker_ids', 'workers'],
  ['val', 'value'],
  ['time_limit_ms', 'time limit'],
])('the audit log shows the field `%s` as “%s”', (field, name) => {
  expect(fieldName('createInput', field)).toBe(name);
});

it('the audit log names each field of an operation in plain words, and leaves field names of documents unchanged', () => {
  const bodies = Object.values<Record<string, any>>(document.paths).flatMap(item =>
    Object.values(item).flatMap(({ operationId, requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema;
      return schema
        ? [{ operationId, ...(document.components.schemas[schema.$ref?.split('/').at(-1)] ?? schema) }]
        : [];
    }),
  );
  const fields = bodies.flatMap(({ operationId, properties = {} }) =>
    Object.keys(properties).map(field => fieldName(operationId, field)),
  );
  expect(fields.length).toBeGreaterThan(100);
  expect(fields.filter(name => !/^([A-Z]+|[A-Z]*[a-z-]+)( ([a-z-]+|VAT))*$/.test(name))).toEqual([]);
  const free = bodies.flatMap(({ operationId, additionalProperties }) => (additionalProperties ? [operationId] : []));
  expect(new Set(free)).toEqual(FREE_FIELDS);
  expect(fieldName('createMongoDocument', 'price_eur')).toBe('price_eur');
});
