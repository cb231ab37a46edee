import { byteSize, countText } from './amounts.js';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1536, '1.5 KiB'],
  [100 * 1024 ** 2, '100 MiB'],
  [2 ** 30, '1.0 GiB'],
  [2 ** 60, '1048576 TiB'],
])('byteSize formats %i bytes as %s', (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});

it('countText uses the singular for 1, the plural otherwise, and groups thousands', () => {
  expect([countText(1, 'run'), countText(0, 'run'), countText(1_240, 'run')]).toEqual([
    '1 run',
    '0 runs',
    '1,240 runs',
  ]);
  expect(countText(2, 'index', 'indexes')).toBe('2 indexes');
});
