import { SKRIPT_TEMPLATES } from '@trawl/contracts';
import { readTemplates } from './skript-templates.js';

it('has the files of each template, without tests', () => {
  const templates = readTemplates();
  expect(Object.keys(templates).sort()).toEqual(Object.keys(SKRIPT_TEMPLATES).sort());
  expect(Object.keys(templates.plain ?? {}).sort()).toEqual(['greeting.js', 'input.json', 'main.js']);
});
