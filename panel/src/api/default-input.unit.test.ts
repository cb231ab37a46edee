import { DEFAULT_INPUT, defaultInputId } from './default-input.js';

const items = (...names: string[]) => names.map(name => ({ id: `id of ${name}`, name }));

describe('the input that the panel selects by default for a run', () => {
  it.each([
    ['the one with the default name', items('inputTest.json', 'input.json'), 'id of input.json'],
    ['the only one', items('inputCatalogue.json'), 'id of inputCatalogue.json'],
    ['null if there are several others', items('inputA.json', 'inputB.json'), null],
    ['null before the items are loaded', undefined, null],
  ])('is %s', (_case, stored, id) => {
    expect(defaultInputId(stored, DEFAULT_INPUT)).toBe(id);
  });
});
