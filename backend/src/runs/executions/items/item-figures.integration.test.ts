import { Int32, Long } from 'bson';
import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { type Fields, itemId } from './item-documents.js';
import { figuresOfItems } from './item-figures.js';

const { app } = appForFile();
const database = databaseForFile(app);

async function figuresOf(rows: Fields[], signal = new AbortController().signal) {
  const { collection } = database.fresh();
  const items = rows.map((row, n) => ({ _id: itemId(String(n)), _gone_at: null, ...row }));
  await collection.insertMany(items as object[]);
  return figuresOfItems(collection as unknown as Parameters<typeof figuresOfItems>[0], signal);
}

it('figures are of the numbers of all items that are not gone, also inside objects, and not of those in lists', async () => {
  const row = { shop: { stock: new Int32(4), city: 'Bath' }, sizes: [1, 2], rank: Long.fromNumber(7) };
  const rows = Array.from({ length: 101 }, (_, price) => ({ price, ...row }));
  const gone = { price: 1_000, _gone_at: new Date(), old: 1 };
  expect(await figuresOf([...rows, gone])).toEqual({
    price: [5, 50, 95],
    'shop.stock': [4, 4, 4],
    rank: [7, 7, 7],
  });
});

it('values that are no numbers do not count, whatever the names of fields are', async () => {
  const hostile = JSON.parse('{"__proto__":{"price":2},"constructor":3,"$where":4,"a.b":5,"":6}') as Fields;
  const figures = await figuresOf([
    { price: Number.NaN, ...hostile },
    { price: Number.POSITIVE_INFINITY, at: new Date() },
    { price: '9' },
    { price: -1 },
    { price: null, ['x'.repeat(201)]: 1 },
  ]);
  const medians = new Map(Object.entries(figures).map(([path, [, median]]) => [path, median]));
  expect(medians).toEqual(
    new Map([
      ['price', -1],
      ['__proto__.price', 2],
      ['constructor', 3],
      ['$where', 4],
      ['a.b', 5],
      ['', 6],
    ]),
  );
});

it('of very many items, the figures are those of a random sample, the same each time', async () => {
  const rows = Array.from({ length: 25_000 }, (_, price) => ({ price }));
  const figures = await figuresOf(rows);
  expect(figures.price).not.toEqual([1_249.95, 12_499.5, 23_749.05]);
  expect(Math.abs((figures.price?.[1] ?? 0) - 12_499.5)).toBeLessThan(500);
  expect(await figuresOf(rows)).toEqual(figures);
});

it('a merge that is stopped stops reading', async () => {
  await expect(figuresOf([{ price: 1 }], AbortSignal.abort())).rejects.toThrow('aborted');
});
