import { bookShelves } from './book-words.js';
import { draftBook } from './books.js';
import { draftGear } from './gear.js';
import { gearShelves } from './gear-words.js';
import type { Catalogue, Category, MemberOffer, Product, Review } from './product.js';
import { type Random, seededRandom } from './random.js';
import { meanStars, reviewsOf } from './reviews.js';
import { type Draft, shelve } from './shelving.js';

const PRODUCT_COUNT = 1000;
const SEED = 20_260_630;

/**
 * Returns a title that is nearly equal to the given one, as real shops have them: the same title, other capital
 * letters, or an extra space.
 */
function lookalike(title: string, random: Random): string {
  return random.pick([title, title.toUpperCase(), title.toLowerCase(), title.replace(', ', ' ,')]);
}

function stock(random: Random): { products: Product[]; reviews: Review[] } {
  const shelves = [
    ...gearShelves.map(shelf => ({ category: shelf.slug, draft: (): Draft => draftGear(shelf, random) })),
    ...bookShelves.map(shelf => ({ category: shelf.slug, draft: (): Draft => draftBook(shelf, random) })),
  ];
  const products: Product[] = [];
  const reviews: Review[] = [];
  for (let number = 1; number <= PRODUCT_COUNT; number++) {
    const shelf = random.pick(shelves);
    const draft = shelf.draft();
    const twin = products.length > 0 && random.chance(0.03) ? random.pick(products) : undefined;
    const titled = twin ? { ...draft, title: lookalike(twin.title, random) } : draft;
    const shelved = shelve(titled, number, twin?.category ?? shelf.category, random);
    const own = reviewsOf(shelved.sku, reviews.length + 1, random);
    reviews.push(...own);
    products.push({ ...shelved, rating: meanStars(own), reviewCount: own.length });
  }
  return { products, reviews };
}

function membersOnly(products: readonly Product[]): MemberOffer[] {
  const offers = products.flatMap(({ sku, title, price }) =>
    price ? [{ sku, title, price: { ...price, amount: Math.round(price.amount * 80) / 100 } }] : [],
  );
  return offers.filter((_, index) => index % 31 === 0);
}

function build(): Catalogue {
  const { products, reviews } = stock(seededRandom(SEED));
  const categories: Category[] = [...gearShelves, ...bookShelves].map(({ slug, name, blurb }) => ({
    slug,
    name,
    blurb,
  }));
  return { products, reviews, categories, memberOffers: membersOnly(products) };
}

let built: Catalogue | undefined;

/**
 * Returns all data of the practice site, which a scraper should find. The data is the same at every call and on every
 * machine.
 */
export function catalogue(): Catalogue {
  built ??= build();
  return built;
}
