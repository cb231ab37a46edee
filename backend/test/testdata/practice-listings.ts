import { catalogue } from '../../../examples/src/practice-site/catalogue/catalogue.js';
import { document } from '../../../examples/src/practice-site/pages/layout.js';
import { listingPage } from '../../../examples/src/practice-site/pages/listing.page.js';
import { slicePage } from '../../../examples/src/practice-site/pages/paging.js';
import { redesign } from '../../../examples/src/practice-site/pages/redesign/redesign.js';

/** The goods of the practice shop. */
export const shop = catalogue();
export const SHOP = 'http://shop.test';
/** Numbers of the listings whose goods are in `listedRows`. */
export const LISTINGS = [1, 2, 3, 4, 5];
const PER_PAGE = 20;

/** The rows that a scraper of the practice shop has stored of its listings. */
export const listedRows = shop.products.slice(0, LISTINGS.length * PER_PAGE).map(product => ({
  _id: `id of ${product.sku}`,
  sku: product.sku,
  title: product.title,
  url: `${SHOP}/products/${product.slug}`,
  price: product.price?.amount ?? null,
  price_text: product.price ? `£${product.price.amount.toFixed(2)}` : null,
  rating: product.rating,
  reviews: product.reviewCount,
  stock: product.stock?.state,
  gtin: product.gtin,
  maker: product.maker,
  released: product.released,
}));

/** A page of the catalogue, in the first layout or after the redesign. */
export function listing(number: number, layout: 1 | 2): { url: string; html: string } {
  const slice = slicePage(shop.products, String(number), PER_PAGE);
  if (!slice) throw new Error(`The shop has no page ${number}`);
  const html =
    layout === 1
      ? document(listingPage(slice, shop.categories))
      : redesign.document(redesign.listing(slice, shop.categories));
  return { url: `${SHOP}/catalogue?page=${number}`, html };
}
