import { type Request, Router } from 'express';
import type { Catalogue, Product } from '../catalogue/product.js';
import { categoryPath } from '../pages/layout.js';
import { productPath } from '../pages/listing.page.js';
import { slicePage } from '../pages/paging.js';
import { styleSheet } from '../pages/style.js';
import { priceText } from '../rendering/formats.js';
import { escapeHtml } from '../rendering/markup.js';
import { linkIn, pagesOf, show } from './layouts.js';

const ARRIVALS = 40;
const ARRIVALS_PER_ANSWER = 15;

/** Returns the latest products, newest first. */
export function arrivals({ products }: Catalogue): Product[] {
  return products
    .filter(({ released }) => released !== null)
    .sort((a, b) => (b.released ?? '').localeCompare(a.released ?? '') || a.sku.localeCompare(b.sku))
    .slice(0, ARRIVALS);
}

function origin(req: Request): string {
  return `${req.protocol}://${req.get('host') ?? 'localhost'}`;
}

/** Routes of styles, scripts, robots.txt, sitemap and the JSON for `/js/`. */
export function machineRoutes(shop: Catalogue): Router {
  const newest = arrivals(shop);
  const routes = Router();

  routes.get('/assets/style.css', (_req, res) => {
    res.type('text/css').send(styleSheet);
  });
  routes.get('/assets/arrivals.js', (_req, res) => {
    res.type('text/javascript').send(pagesOf(res).arrivalsScript);
  });

  routes.get('/js', (_req, res) => {
    show(res, pages => pages.arrivals());
  });
  routes.get('/js/arrivals.json', (req, res, next) => {
    const slice = slicePage(newest, req.query.page, ARRIVALS_PER_ANSWER);
    if (!slice) return next();
    res.json({
      items: slice.items.map(product => ({
        sku: product.sku,
        title: product.title,
        path: linkIn(res, productPath(product)),
        price: product.price ? priceText(product.price) : 'Price on request',
        arrived: product.released,
      })),
      next: slice.page < slice.pages ? linkIn(res, `/js/arrivals.json?page=${slice.page + 1}`) : null,
    });
  });

  routes.get('/robots.txt', (req, res) => {
    const rules = ['User-agent: *', 'Allow: /', `Sitemap: ${origin(req)}/sitemap.xml`];
    res.type('text/plain').send(`${rules.join('\n')}\n`);
  });

  routes.get('/sitemap.xml', (req, res) => {
    const entry = (path: string, day?: string | null): string =>
      `<url><loc>${escapeHtml(origin(req) + path)}</loc>${day ? `<lastmod>${day}</lastmod>` : ''}</url>`;
    const entries = [
      ...['/', '/catalogue', '/js/'].map(path => entry(path)),
      ...shop.categories.map(category => entry(categoryPath(category))),
      ...shop.products.map(product => entry(productPath(product), product.released)),
    ];
    res
      .type('application/xml')
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`,
      );
  });

  return routes;
}
