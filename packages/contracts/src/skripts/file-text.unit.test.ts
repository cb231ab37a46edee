import { fileBytes, fileText, isDataUrl, mustBeText } from './file-text.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');

test.each([
  ['text with a byte order mark', Buffer.from('\uFEFFname;price\r\n"Ærø";1'), false],
  ['an empty file', Buffer.alloc(0), false],
  ['a picture', PNG, true],
  ['windows-1252', Buffer.from('Preis: 3 €', 'latin1').fill(0x80, 9), true],
  ['text with NUL', Buffer.from('a\0b'), true],
  ['the data URL of other bytes', Buffer.from(fileText(PNG)), true],
])('%s keeps its bytes when stored as text of a skript file', (_, bytes, isUrl) => {
  const text = fileText(bytes);
  expect(fileBytes(text)).toEqual(bytes);
  expect(isDataUrl(text)).toBe(isUrl);
});

test('a skript file with a broken data URL is kept as text', () => {
  const text = `${fileText(PNG)}!`;
  expect(fileBytes(text).toString()).toBe(text);
});

test.each([
  ['main.js', true],
  ['lib/a.CJS', true],
  ['data.json', true],
  ['howto.html', true],
  ['page.html', false],
  ['prices.csv', false],
  ['cover.png', false],
])('mustBeText tells whether the skript file %s must be text: %s', (name, isText) => {
  expect(mustBeText(name)).toBe(isText);
});
