import { americanDate, britishDate, priceText, stockText, weightText } from './formats.js';

test.each([
  [{ amount: 1249, currency: 'GBP' }, false, '£1,249.00'],
  [{ amount: 1249, currency: 'GBP' }, true, '£1,249'],
  [{ amount: 45.5, currency: 'GBP' }, true, '£45.50'],
  [{ amount: 1249.9, currency: 'EUR' }, false, '1.249,90 €'],
  [{ amount: 999.95, currency: 'USD' }, false, 'US$999.95'],
  [{ amount: 1234567.5, currency: 'NOK' }, false, 'kr 1\u00a0234\u00a0567,50'],
] as const)('formats the price %j (short: %s) as %s', (price, short, text) => {
  expect(priceText(price, short)).toBe(text);
});

test('formats dates without changing the day', () => {
  expect(britishDate('2024-03-01')).toBe('1 March 2024');
  expect(americanDate('2024-12-31')).toBe('Dec 31, 2024');
});

test('formats stock and weight', () => {
  expect(stockText({ state: 'in_stock', count: 22 })).toBe('In stock (22 available)');
  expect(stockText({ state: 'low_stock', count: 3 })).toBe('Only 3 left');
  expect(stockText({ state: 'sold_out', count: null })).toBe('Sold out');
  expect(stockText({ state: 'back_order', count: null })).toBe('Back order: 2–3 weeks');
  expect(weightText(999)).toBe('999 g');
  expect(weightText(1250)).toBe('1.25 kg');
});
