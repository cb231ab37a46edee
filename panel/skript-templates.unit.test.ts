import { SKRIPT_TEMPLATES } from '@trawl/contracts';
import { readTemplates } from './skript-templates.js';

it('each template stores rows, so that the first run of a new skript has some', () => {
  for (const files of Object.values(readTemplates()))
    expect(Object.values(files).join('\n')).toMatch(/await (?:dataset\.push|Dataset\.pushData)\(/);
});

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
