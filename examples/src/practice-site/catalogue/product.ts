export type Currency = 'GBP' | 'EUR' | 'USD' | 'NOK';
export type StockState = 'in_stock' | 'low_stock' | 'sold_out' | 'back_order';

/** An amount in whole units of its currency, with at most two decimals. */
export interface Price {
  amount: number;
  currency: Currency;
}

/** What is true of one product, before the shop's pages write it down untidily. Null: the pages do not show it. */
export interface Product {
  /** `MM-0001` to `MM-1000`, in the catalogue's order. */
  sku: string;
  slug: string;
  title: string;
  /** A category's slug. */
  category: string;
  maker: string | null;
  price: Price | null;
  /** The price before a reduction. */
  was: Price | null;
  stock: { state: StockState; count: number | null } | null;
  /** GTIN-13 (an ISBN-13 for a book), with a valid check digit. */
  gtin: string | null;
  /** `YYYY-MM-DD`. */
  released: string | null;
  weightGrams: number | null;
  description: string;
  /** The rows of the details table, in order, without the weight. */
  details: readonly (readonly [name: string, value: string])[];
  /** Mean of its reviews, one decimal; null without reviews. */
  rating: number | null;
  reviewCount: number;
}

export interface Review {
  /** `R-00001` and on. */
  id: string;
  sku: string;
  author: string;
  /** 1 to 5. */
  stars: number;
  /** `YYYY-MM-DD`. */
  writtenOn: string;
  title: string;
  text: string;
  verified: boolean;
}

export interface Category {
  slug: string;
  name: string;
  blurb: string;
}

/** A trade price, shown to members only. */
export interface MemberOffer {
  sku: string;
  title: string;
  price: Price;
}

export interface Catalogue {
  products: readonly Product[];
  categories: readonly Category[];
  reviews: readonly Review[];
  memberOffers: readonly MemberOffer[];
}
