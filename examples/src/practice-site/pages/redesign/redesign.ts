import { redesignedArrivals, redesignedArrivalsScript } from './arrivals.page.js';
import { redesignedDocument } from './document.js';
import { redesignedListing } from './listing.page.js';
import { redesignedMembers } from './members.page.js';
import { redesignedProduct, redesignedReviews } from './product.page.js';

/**
 * Pages of the second layout: the same data in other elements with other classes, as after a relaunch of the shop.
 * Scrapers of the first layout find the goods by their `data-sku`, but not their prices.
 */
export const redesign = {
  document: redesignedDocument,
  listing: redesignedListing,
  product: redesignedProduct,
  reviews: redesignedReviews,
  arrivals: redesignedArrivals,
  members: redesignedMembers,
  arrivalsScript: redesignedArrivalsScript,
};
