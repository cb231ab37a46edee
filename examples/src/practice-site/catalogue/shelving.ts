import { gtin13 } from './gtin.js';
import type { Currency, Price, Product } from './product.js';
import type { Random } from './random.js';

/** The fields of a product that depend on its category. Price, stock and dates do not depend on it. */
export interface Draft {
  title: string;
  maker: string;
  pounds: number;
  gtinPrefix: string;
  weightGrams: number | null;
  description: string;
  details: Product['details'];
}

const currencies: readonly { currency: Currency; perPound: number }[] = [
  { currency: 'GBP', perPound: 1 },
  { currency: 'GBP', perPound: 1 },
  { currency: 'GBP', perPound: 1 },
  { currency: 'EUR', perPound: 1.17 },
  { currency: 'USD', perPound: 1.27 },
  { currency: 'NOK', perPound: 13.6 },
];
const pence = [0, 0, 25, 45, 50, 75, 95, 99] as const;

const lastDay = Date.UTC(2026, 5, 30);
const dayMs = 86_400_000;

/**
 * Returns a random day as an ISO date, at most `daysBack` days before the shop's last day. The last day is fixed, so
 * the shop's data never changes.
 */
export function dayBefore(random: Random, daysBack: number): string {
  return new Date(lastDay - random.whole(0, daysBack) * dayMs).toISOString().slice(0, 10);
}

function slugOf(title: string, sku: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/[\u0300-\u036f’']/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return `${words}-${sku.toLowerCase()}`;
}

function priceOf(draft: Draft, random: Random): { price: Price | null; was: Price | null } {
  const { currency, perPound } = random.pick(currencies);
  const hundredths = Math.round(draft.pounds * perPound) * 100 + random.pick(pence);
  const reduction = random.chance(0.12) ? random.whole(5, 40) : 0;
  if (random.chance(0.02)) return { price: null, was: null };
  const price = { amount: Math.round((hundredths * (100 - reduction)) / 100) / 100, currency };
  return { price, was: reduction > 0 ? { amount: hundredths / 100, currency } : null };
}

function stockOf(random: Random): Product['stock'] {
  if (random.chance(0.01)) return null;
  if (random.chance(0.7)) return { state: 'in_stock', count: random.whole(6, 180) };
  if (random.chance(0.5)) return { state: 'low_stock', count: random.whole(1, 5) };
  return { state: random.chance(0.6) ? 'sold_out' : 'back_order', count: null };
}

/** Adds number, price, stock and dates to a draft, and omits some values at random. */
export function shelve(
  draft: Draft,
  number: number,
  category: string,
  random: Random,
): Omit<Product, 'rating' | 'reviewCount'> {
  const sku = `MM-${String(number).padStart(4, '0')}`;
  const serial = String(random.whole(0, 10 ** 8 - 1)).padStart(8, '0') + String(number % 100).padStart(2, '0');
  return {
    sku,
    slug: slugOf(draft.title, sku),
    title: draft.title,
    category,
    maker: random.chance(0.03) ? null : draft.maker,
    ...priceOf(draft, random),
    stock: stockOf(random),
    gtin: random.chance(0.06) ? null : gtin13(`${draft.gtinPrefix}${serial}`.slice(0, 12)),
    released: random.chance(0.04) ? null : dayBefore(random, 9000),
    weightGrams: draft.weightGrams,
    description: draft.description,
    details: draft.details,
  };
}
