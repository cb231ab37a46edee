import { INPUT, INPUT_SECRET } from './named-values.js';

describe('the names of inputs and input secrets', () => {
  it.each([
    ['input.json', true, false],
    ['inputPages.json', true, false],
    ['inputSecret.json', false, true],
    ['inputSecretShop.json', false, true],
    ['input.txt', false, false],
    ['myinput.json', false, false],
    ['inputxjson', false, false],
  ])('%s is valid for an input: %s, for an input secret: %s', (name, isInput, isSecret) => {
    expect(INPUT.nameProblem(name) === null).toBe(isInput);
    expect(INPUT_SECRET.nameProblem(name) === null).toBe(isSecret);
  });
});
