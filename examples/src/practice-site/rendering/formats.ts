import type { Currency, Price, Product } from '../catalogue/product.js';

/** Formats prices, dates, stock and weights in the inconsistent ways of this shop. */

const writePrice: Readonly<Record<Currency, (amount: string) => string>> = {
  GBP: amount => `£${grouped(amount, ',', '.')}`,
  EUR: amount => `${grouped(amount, '.', ',')} €`,
  USD: amount => `US$${grouped(amount, ',', '.')}`,
  // Norwegian separates thousands with a no-break space.
  NOK: amount => `kr ${grouped(amount, '\u00a0', ',')}`,
};

function grouped(amount: string, thousands: string, decimal: string): string {
  const [whole = '', cents] = amount.split('.');
  const separated = whole.replace(/\B(?=(\d{3})+$)/g, thousands);
  return cents === undefined ? separated : `${separated}${decimal}${cents}`;
}

/**
 * Returns a price as text: `£1,249.00`, `1.249,00 €`, `US$1,249.00` or `kr 1 249,00`. `short` leaves out the decimals
 * of whole amounts.
 */
export function priceText(price: Price, short = false): string {
  const isWhole = Number.isInteger(price.amount);
  return writePrice[price.currency](short && isWhole ? String(price.amount) : price.amount.toFixed(2));
}

function dayParts(isoDay: string, month: 'long' | 'short'): { day: string; month: string; year: string } {
  const date = new Date(`${isoDay}T00:00:00Z`);
  return {
    day: String(date.getUTCDate()),
    month: new Intl.DateTimeFormat('en-US', { month, timeZone: 'UTC' }).format(date),
    year: isoDay.slice(0, 4),
  };
}

/** `3 March 2024`. */
export function britishDate(isoDay: string): string {
  const { day, month, year } = dayParts(isoDay, 'long');
  return `${day} ${month} ${year}`;
}

/** `Mar 3, 2024`. */
export function americanDate(isoDay: string): string {
  const { day, month, year } = dayParts(isoDay, 'short');
  return `${month} ${day}, ${year}`;
}

export function stockText(stock: NonNullable<Product['stock']>): string {
  switch (stock.state) {
    case 'in_stock':
      return `In stock (${stock.count} available)`;
    case 'low_stock':
      return `Only ${stock.count} left`;
    case 'sold_out':
      return 'Sold out';
    case 'back_order':
      return 'Back order: 2–3 weeks';
  }
}

/** Returns a weight as text: such as `850 g` below a kilogram, and such as `1.25 kg` above. */
export function weightText(grams: number): string {
  return grams < 1000 ? `${grams} g` : `${grams / 1000} kg`;
}

export function starsText(rating: number): string {
  const full = Math.round(rating);
  return '★'.repeat(full) + '☆'.repeat(5 - full);
}
