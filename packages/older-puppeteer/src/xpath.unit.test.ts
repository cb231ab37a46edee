import { withText } from './xpath.js';

test.each([
  ['Next', false, "(//a)[contains(., 'Next')]"],
  ['Next', true, "(//a)[normalize-space() = 'Next']"],
  ["It's", false, `(//a)[contains(., "It's")]`],
  [`It's "it"`, false, `(//a)[contains(., concat('It', "'", 's "it"'))]`],
])('withText builds an XPath for elements with the text %p, exact: %p', (text, exact, xpath) => {
  expect(withText('//a', text, exact)).toBe(xpath);
});
