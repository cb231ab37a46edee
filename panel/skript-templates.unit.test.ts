import { SKRIPT_TEMPLATES } from '@trawl/contracts';
import { readTemplates } from './skript-templates.js';

it('the panel’s skript templates contain the files of each template without its tests', () => {
  const templates = readTemplates();
  expect(Object.keys(templates).sort()).toEqual(Object.keys(SKRIPT_TEMPLATES).sort());
  expect(Object.keys(templates.plain ?? {}).sort()).toEqual(['greeting.js', 'input.json', 'main.js']);
  expect(Object.keys(templates.typescript ?? {}).sort()).toEqual([
    'input.json',
    'main.ts',
    'shelf.ts',
    'tsconfig.json',
  ]);
});
