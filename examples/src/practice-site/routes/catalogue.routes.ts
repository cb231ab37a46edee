import { Router } from 'express';
import type { Catalogue, Category, Product, Review } from '../catalogue/product.js';
import { PRODUCTS_PER_PAGE } from '../pages/listing.page.js';
import { slicePage } from '../pages/paging.js';
import { REVIEWS_PER_PAGE } from '../pages/product.page.js';
import { show } from './layouts.js';
import { roughWeather } from './trouble.routes.js';

interface Shelved {
  product: Product;
  category: Category;
  reviews: Review[];
}

function shelvedBySlug({ products, categories, reviews }: Catalogue): Map<string, Shelved> {
  const categoryBySlug = new Map(categories.map(category => [category.slug, category]));
  const bySku = new Map<string, Shelved>();
  for (const product of products) {
    const category = categoryBySlug.get(product.category);
    if (!category) throw new Error(`${product.sku} is in the category "${product.category}", which does not exist`);
    bySku.set(product.sku, { product, category, reviews: [] });
  }
  for (const review of reviews) bySku.get(review.sku)?.reviews.push(review);
  return new Map([...bySku.values()].map(shelved => [shelved.product.slug, shelved]));
}

/** Routes of home, listings, details and reviews. An unknown path or page number falls through to the 404. */
export function catalogueRoutes(shop: Catalogue): Router {
  const { products, categories } = shop;
  const shelved = shelvedBySlug(shop);
  const routes = Router();

  routes.get('/', (_req, res) => {
    show(res, pages => pages.home(categories, products.length));
  });

  routes.get('/catalogue', (req, res, next) => {
    const slice = slicePage(products, req.query.page, PRODUCTS_PER_PAGE);
    if (!slice) return next();
    show(res, pages => pages.listing(slice, categories));
  });

  routes.get('/categories/:slug', (req, res, next) => {
    const category = categories.find(({ slug }) => slug === req.params.slug);
    if (!category) return next();
    const inCategory = products.filter(product => product.category === category.slug);
    const slice = slicePage(inCategory, req.query.page, PRODUCTS_PER_PAGE);
    if (!slice) return next();
    show(res, pages => pages.listing(slice, categories, category));
  });

  routes.get('/products/:slug', roughWeather(), (req, res, next) => {
    const found = shelved.get(req.params.slug);
    if (!found) return next();
    show(res, pages => pages.product(found.product, found.category));
  });

  routes.get('/products/:slug/reviews', (req, res, next) => {
    const found = shelved.get(req.params.slug);
    const slice = found && slicePage(found.reviews, req.query.page, REVIEWS_PER_PAGE);
    if (!slice) return next();
    show(res, pages => pages.reviews(found.product, found.category, slice));
  });

  return routes;
}
