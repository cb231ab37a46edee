import type { Category, Product } from '../catalogue/product.js';
import { americanDate, britishDate, priceText, starsText, stockText } from '../rendering/formats.js';
import { html, type Markup } from '../rendering/markup.js';
import { type Crumb, categoryPath, type Page } from './layout.js';
import { pager, relLinks, type Slice } from './paging.js';

export const PRODUCTS_PER_PAGE = 20;
const LONGEST_LINK_TEXT = 48;

export function productPath(product: Product): string {
  return `/products/${product.slug}`;
}

function numberOf(product: Product): number {
  return Number(product.sku.slice(3));
}

export function prices(product: Product): Markup {
  if (!product.price) return html`<p class="price on-request">Price on request</p>`;
  const short = numberOf(product) % 2 === 1;
  const was = product.was && html`<del class="price-was">${priceText(product.was, short)}</del> `;
  return html`<p class="prices">${was}<ins class="price">${priceText(product.price, short)}</ins></p>`;
}

export function rating(product: Product): Markup {
  if (product.rating === null) return html`<p class="rating unrated">Not rated yet</p>`;
  const count = `${product.reviewCount} ${product.reviewCount === 1 ? 'review' : 'reviews'}`;
  return html`<p class="rating"><span class="stars" role="img" aria-label="${product.rating.toFixed(1)} out of 5 stars">${starsText(product.rating)}</span> <span class="review-count">(${count})</span></p>`;
}

export function stock(product: Product): Markup | null {
  return product.stock && html`<p class="stock ${product.stock.state}">${stockText(product.stock)}</p>`;
}

/** Formats a date in one of several ways; not all are machine-readable. */
export function released(product: Product): Markup | null {
  if (!product.released) return null;
  const habit = numberOf(product) % 10;
  if (habit === 8) return html`<span class="released">${product.released}</span>`;
  if (habit === 9) return html`<span class="released">${americanDate(product.released)}</span>`;
  const written = britishDate(product.released);
  if (habit >= 6) return html`<span class="released">${written}</span>`;
  return html`<time class="released" datetime="${product.released}">${written}</time>`;
}

function linkText(title: string): string {
  return title.length > LONGEST_LINK_TEXT ? `${title.slice(0, LONGEST_LINK_TEXT - 1).trimEnd()}…` : title;
}

function card(product: Product): Markup {
  return html`<li><article class="product" data-sku="${product.sku}" data-category="${product.category}">
<h2 class="product-title"><a href="${productPath(product)}" title="${product.title}">${linkText(product.title)}</a></h2>
${product.maker && html`<p class="maker">by <span class="maker-name">${product.maker}</span></p>`}
${prices(product)}
${rating(product)}
${stock(product)}
<dl class="facts">
${product.gtin && html`<div><dt>EAN</dt><dd class="gtin">${product.gtin}</dd></div>`}
${product.released && html`<div><dt>Since</dt><dd>${released(product)}</dd></div>`}
</dl>
</article></li>
`;
}

function categoryLinks(categories: readonly Category[]): Markup {
  const items = categories.map(category => html`<li><a href="${categoryPath(category)}">${category.name}</a></li>`);
  return html`<nav class="categories" aria-label="Categories"><ul>${items}</ul></nav>`;
}

export function listingTitle({ page }: Slice<Product>, name: string): string {
  return page === 1 ? name : `${name}, page ${page}`;
}

export function listingCrumbs(category?: Category): Crumb[] {
  const home = { name: 'Home', path: '/' };
  return category
    ? [home, { name: 'Catalogue', path: '/catalogue' }, { name: category.name }]
    : [home, { name: 'Catalogue' }];
}

/** Returns a page of the catalogue or of a category. */
export function listingPage(slice: Slice<Product>, categories: readonly Category[], category?: Category): Page {
  const name = category?.name ?? 'Catalogue';
  const path = category ? categoryPath(category) : '/catalogue';
  const body = html`<h1>${name}</h1>
${category && html`<p class="blurb">${category.blurb}</p>`}
<p class="result-count"><span class="total">${slice.total.toLocaleString('en-GB')}</span> products, page <span class="page-number">${slice.page}</span> of <span class="page-count">${slice.pages}</span></p>
${categoryLinks(categories)}
<ol class="products">
${slice.items.map(card)}</ol>
${pager(slice, path)}`;
  return {
    title: listingTitle(slice, name),
    body,
    head: relLinks(slice, path),
    breadcrumbs: listingCrumbs(category),
  };
}
