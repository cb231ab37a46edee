export type Currency = 'GBP' | 'EUR' | 'USD' | 'NOK';
export type StockState = 'in_stock' | 'low_stock' | 'sold_out' | 'back_order';

/** An amount in units of its currency, with at most two decimals. */
export interface Price {
  amount: number;
  currency: Currency;
}

/** Data of a product. The pages show the same kind of data in different formats, and do not show null values. */
export interface Product {
  /** Article number, from `MM-0001` to `MM-1000` in the order of the catalogue. */
  sku: string;
  slug: string;
  title: string;
  /** Slug of the category. */
  category: string;
  maker: string | null;
  price: Price | null;
  /** Price before a discount. */
  was: Price | null;
  stock: { state: StockState; count: number | null } | null;
  /** GTIN-13 (an ISBN-13 for a book), with a valid check digit. */
  gtin: string | null;
  /** `YYYY-MM-DD`. */
  released: string | null;
  weightGrams: number | null;
  description: string;
  /** Rows of the details table in order, without the weight. */
  details: readonly (readonly [name: string, value: string])[];
  /** Average of the stars in the product's reviews, with one decimal; null without reviews. */
  rating: number | null;
  reviewCount: number;
}

export interface Review {
  /** `R-00001` and up. */
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

/** A price for members. */
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
