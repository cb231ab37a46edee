import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FEATURES = join(__dirname, 'src/features');

/** Documents are data of users; their lists have compact rows as far as their fields are known. */
const DATA = ['storage/documents/documents-table.tsx', 'storage/documents/run-documents.tsx'];

it('each list of the panel is covered by the test of compact rows on phones', () => {
  const tested = readFileSync(join(__dirname, 'src/app/compact-rows.component.test.tsx'), 'utf8');
  const lists = readdirSync(FEATURES, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.tsx') && !name.endsWith('.test.tsx') && !DATA.includes(name))
    .filter(name => readFileSync(join(FEATURES, name), 'utf8').includes('<DataTable'));
  expect(lists.filter(name => !tested.includes(`'${name}'`))).toEqual([]);
});
