import { catalogue } from './catalogue.js';
import { gtin13 } from './gtin.js';
import { seededRandom } from './random.js';

const { products, reviews, categories, memberOffers } = catalogue();

function checkDigitHolds(gtin: string): boolean {
  const sum = [...gtin].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return /^\d{13}$/.test(gtin) && sum % 10 === 0;
}

test('has 1,000 products with unique article numbers and URLs', () => {
  expect(products).toHaveLength(1000);
  expect(new Set(products.map(({ sku }) => sku)).size).toBe(1000);
  expect(new Set(products.map(({ slug }) => slug)).size).toBe(1000);
  expect(products.filter(({ slug }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))).toEqual([]);
});

test('has unique GTINs with valid check digits', () => {
  const gtins = products.flatMap(({ gtin }) => gtin ?? []);
  expect(gtins.filter(gtin => !checkDigitHolds(gtin))).toEqual([]);
  expect(new Set(gtins).size).toBe(gtins.length);
});

test('computes the check digit of a GTIN', () => {
  expect(gtin13('400638133393')).toBe('4006381333931');
  expect(gtin13('978030640615')).toBe('9780306406157');
  expect(() => gtin13('12')).toThrow(/twelve digits/);
});

test('has missing values and inconsistent formats', () => {
  const share = (matches: (product: (typeof products)[number]) => boolean): number => products.filter(matches).length;
  for (const field of ['maker', 'price', 'stock', 'gtin', 'released', 'rating', 'weightGrams'] as const) {
    expect({ field, missing: share(product => product[field] === null) > 0 }).toEqual({ field, missing: true });
  }
  expect(share(({ price }) => (price?.amount ?? 0) >= 1000)).toBeGreaterThan(20);
  expect(share(({ title }) => /[&<"]/.test(title))).toBeGreaterThan(20);
  expect(share(({ title }) => /[^ -~]/.test(title))).toBeGreaterThan(100);
  expect(new Set(products.map(({ price }) => price?.currency)).size).toBe(5);
  expect(new Set(products.map(({ stock }) => stock?.state)).size).toBe(5);
  const folded = products.map(({ title }) => title.toLowerCase());
  expect(new Set(folded).size).toBeLessThan(new Set(products.map(({ title }) => title)).size);
});

test('puts every product into a category, and has no empty category', () => {
  expect(new Set(products.map(({ category }) => category))).toEqual(new Set(categories.map(({ slug }) => slug)));
});

test('computes ratings and counts from the reviews', () => {
  const stars = new Map<string, number[]>();
  for (const review of reviews) stars.set(review.sku, [...(stars.get(review.sku) ?? []), review.stars]);
  for (const { sku, rating, reviewCount } of products) {
    const given = stars.get(sku) ?? [];
    const mean = given.reduce((total, one) => total + one, 0) / given.length;
    expect({ sku, reviewCount }).toEqual({ sku, reviewCount: given.length });
    expect({ sku, rating }).toEqual({ sku, rating: given.length === 0 ? null : Math.round(mean * 10) / 10 });
  }
  expect(new Set(reviews.map(({ id }) => id)).size).toBe(reviews.length);
});

test('gives members a discount of a fifth', () => {
  expect(memberOffers.length).toBeGreaterThan(20);
  const prices = new Map(products.map(({ sku, price }) => [sku, price]));
  for (const { sku, price } of memberOffers) {
    expect(price.currency).toBe(prices.get(sku)?.currency);
    expect(price.amount).toBeCloseTo((prices.get(sku)?.amount ?? 0) * 0.8, 2);
  }
});

test('builds the same shop on every machine', () => {
  expect(products[0]).toMatchObject({ sku: 'MM-0001', title: 'What No One Owed the Harbour', rating: 3.3 });
  expect(products[999]).toMatchObject({ sku: 'MM-1000', title: 'Petrel Enamel Mug, set of 4', gtin: '4056893779000' });
  const [first, second] = [seededRandom(7), seededRandom(7)];
  const deal = (random: typeof first): number[] => Array.from({ length: 50 }, () => random.whole(0, 1000));
  expect(deal(first)).toEqual(deal(second));
  expect(deal(seededRandom(8))).not.toEqual(deal(seededRandom(7)));
});
