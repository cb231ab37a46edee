import { DEFAULT_INPUT, defaultInputId } from './default-input.js';

const items = (...names: string[]) => names.map(name => ({ id: `id of ${name}`, name }));

describe('the input that a run takes when nobody chooses', () => {
  it.each([
    ['the one of the default name', items('inputTest.json', 'input.json'), 'id of input.json'],
    ['the only one', items('inputCatalogue.json'), 'id of inputCatalogue.json'],
    ['none of several', items('inputA.json', 'inputB.json'), null],
    ['none while there are none', undefined, null],
  ])('is %s', (_case, stored, id) => {
    expect(defaultInputId(stored, DEFAULT_INPUT)).toBe(id);
  });
});
