import { keyText } from './key-text.js';

it.each([
  ['{"sku":"B01"}', 'B01'],
  ['{"sku":1}', '1'],
  ['{"page":2,"shop":"x"}', 'page 2, shop x'],
  ['{"at":{"$date":"2026-01-01"}}', '{"$date":"2026-01-01"}'],
  ['"/books/1"', '/books/1'],
  ['not JSON', 'not JSON'],
])('the key %s is shown as %s', (key, text) => expect(keyText(key)).toBe(text));
