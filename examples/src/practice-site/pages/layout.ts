import type { Category } from '../catalogue/product.js';
import { html, type Markup } from '../rendering/markup.js';

export const SHOP = 'Marlinspike & Margin';

export interface Page {
  title: string;
  body: Markup;
  /** Extra elements for `<head>`: rel=next, JSON-LD, scripts. */
  head?: Markup;
  breadcrumbs?: readonly Crumb[];
}

export interface Crumb {
  name: string;
  /** Path of the linked page. The current page has none. */
  path?: string;
}

function trail(crumbs: readonly Crumb[]): Markup {
  const items = crumbs.map(({ name, path }) =>
    path ? html`<li><a href="${path}">${name}</a></li>` : html`<li aria-current="page">${name}</li>`,
  );
  return html`<nav class="breadcrumbs" aria-label="Breadcrumb"><ol>${items}</ol></nav>`;
}

/** Returns the path of a category's listing. */
export function categoryPath(category: Category): string {
  return `/categories/${category.slug}`;
}

/** Renders a complete HTML document in the first layout. */
export function document({ title, body, head, breadcrumbs }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} | ${SHOP}</title>
<link rel="stylesheet" href="/assets/style.css">
<link rel="icon" href="data:,">
${head}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="site-header">
<a class="shop" href="/">${SHOP}</a>
<p class="claim">Ship chandlers and booksellers</p>
<nav aria-label="Main"><ul>
<li><a href="/catalogue">Catalogue</a></li>
<li><a href="/js/">Arrivals</a></li>
<li><a href="/members">Members</a></li>
</ul></nav>
</header>
<main id="content">
${breadcrumbs && trail(breadcrumbs)}
${body}
</main>
<footer class="site-footer">
<p>A practice site: shop, goods, people and prices are invented, and nothing can be bought. Scrape it as you like.</p>
</footer>
</body>
</html>
`.text;
}
