import { withText } from './xpath.js';

test.each([
  ['Next', false, "(//a)[contains(text(), 'Next')]"],
  ['Next', true, "(//a)[text() = 'Next']"],
  ["It's", false, `(//a)[contains(text(), "It's")]`],
  [`It's "it"`, false, `(//a)[contains(text(), concat('It', "'", 's "it"'))]`],
])('withText builds an XPath for elements with the text %p, exact: %p', (text, exact, xpath) => {
  expect(withText('//a', text, exact)).toBe(xpath);
});
