import type { Category, Product } from '../../catalogue/product.js';
import { britishDate, priceText, stockText } from '../../rendering/formats.js';
import { html, type Markup } from '../../rendering/markup.js';
import { categoryPath, type Page } from '../layout.js';
import { listingCrumbs, listingTitle, productPath } from '../listing.page.js';
import { pager, relLinks, type Slice } from '../paging.js';

/** The box with all that concerns buying: price, earlier price and stock. */
export function buyBox({ price, was, stock }: Product): Markup {
  return html`<div class="buy-box">
${
  price
    ? html`<data class="amount" value="${price.amount.toFixed(2)}">${priceText(price)}</data>`
    : html`<span class="ask-us">Price on request</span>`
}
${was && html`<small>instead of <s class="amount-before">${priceText(was)}</s></small>`}
${stock && html`<span class="availability" data-state="${stock.state}">${stockText(stock)}</span>`}
</div>`;
}

export function score({ rating, reviewCount }: Product): Markup {
  if (rating === null) return html`<p class="score">No reviews</p>`;
  return html`<p class="score"><b class="score-value">${rating.toFixed(1)}</b>/5 from <span class="score-count">${reviewCount}</span> ${reviewCount === 1 ? 'review' : 'reviews'}</p>`;
}

export function day(isoDay: string): Markup {
  return html`<time datetime="${isoDay}">${britishDate(isoDay)}</time>`;
}

function tile(product: Product): Markup {
  return html`<section class="tile" data-sku="${product.sku}" data-category="${product.category}">
<header><h3 class="tile-name"><a href="${productPath(product)}" title="${product.title}">${product.title}</a></h3>
${product.maker && html`<cite class="brand">${product.maker}</cite>`}</header>
${score(product)}
<p class="fine-print">${product.gtin && html`EAN <code class="ean">${product.gtin}</code> `}${product.released && html`since ${day(product.released)}`}</p>
${buyBox(product)}
</section>
`;
}

/** Returns a page of the catalogue or of a category. */
export function redesignedListing(slice: Slice<Product>, categories: readonly Category[], category?: Category): Page {
  const name = category?.name ?? 'Catalogue';
  const path = category ? categoryPath(category) : '/catalogue';
  const shelves = categories.map(
    shelf => html`<a href="${categoryPath(shelf)}">${shelf.name}</a>
`,
  );
  const body = html`<div class="list-head"><h1>${name}</h1>
${category && html`<p class="intro">${category.blurb}</p>`}
<p class="how-many">Page <b>${slice.page}</b>/<b class="last-page">${slice.pages}</b>, ${slice.total.toLocaleString('en-GB')} goods</p></div>
<div class="grid">
${slice.items.map(tile)}</div>
${pager(slice, path)}
<aside class="shelf-list" aria-label="Categories">
${shelves}</aside>`;
  return {
    title: listingTitle(slice, name),
    body,
    head: relLinks(slice, path),
    breadcrumbs: listingCrumbs(category),
  };
}
