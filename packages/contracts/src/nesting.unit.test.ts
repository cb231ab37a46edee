import { isJsonNestedDeeper, isNestedDeeper } from './nesting.js';

describe.each([
  ['isNestedDeeper', (text: string, levels: number) => isNestedDeeper(JSON.parse(text), levels)],
  ['isJsonNestedDeeper', (text: string, levels: number) => isJsonNestedDeeper(Buffer.from(text), levels)],
])('%s', (_name, isDeeper) => {
  it.each([
    ['1', 0],
    ['[]', 1],
    ['[[],[],{"a":[]}]', 3],
    ['{"a":{"b":[1,{}]}}', 4],
    ['"[[[["', 0],
    ['["\\"[[[[", "\\\\", "]]"]', 1],
    [`${'['.repeat(500)}${']'.repeat(500)}`, 500],
  ])('tells how deeply %s is nested', (text, levels) => {
    expect(isDeeper(text, levels)).toBe(false);
    if (levels > 0) expect(isDeeper(text, levels - 1)).toBe(true);
  });
});
