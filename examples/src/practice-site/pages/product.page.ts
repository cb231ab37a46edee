import type { Category, Product, Review, StockState } from '../catalogue/product.js';
import { britishDate, starsText, weightText } from '../rendering/formats.js';
import { html, jsonLd, type Markup } from '../rendering/markup.js';
import { type Crumb, categoryPath, type Page } from './layout.js';
import { prices, productPath, rating, released, stock } from './listing.page.js';
import { pager, relLinks, type Slice } from './paging.js';

export const REVIEWS_PER_PAGE = 5;

const availability: Readonly<Record<StockState, string>> = {
  in_stock: 'https://schema.org/InStock',
  low_stock: 'https://schema.org/LimitedAvailability',
  sold_out: 'https://schema.org/SoldOut',
  back_order: 'https://schema.org/BackOrder',
};

export function reviewsPath(product: Product): string {
  return `${productPath(product)}/reviews`;
}

export function structuredData(product: Product, category: Category): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    sku: product.sku,
    name: product.title,
    description: product.description,
    category: category.name,
    ...(product.gtin && { gtin13: product.gtin }),
    ...(product.maker && { brand: { '@type': 'Brand', name: product.maker } }),
    ...(product.released && { releaseDate: product.released }),
    ...(product.price && {
      offers: {
        '@type': 'Offer',
        price: product.price.amount.toFixed(2),
        priceCurrency: product.price.currency,
        ...(product.stock && { availability: availability[product.stock.state] }),
      },
    }),
    ...(product.rating !== null && {
      aggregateRating: { '@type': 'AggregateRating', ratingValue: product.rating, reviewCount: product.reviewCount },
    }),
  };
}

export function crumbs(product: Product, category: Category, last?: string): Crumb[] {
  const upToProduct = [
    { name: 'Home', path: '/' },
    { name: 'Catalogue', path: '/catalogue' },
    { name: category.name, path: categoryPath(category) },
  ];
  return last
    ? [...upToProduct, { name: product.title, path: productPath(product) }, { name: last }]
    : [...upToProduct, { name: product.title }];
}

function specRow(name: string, value: string | Markup): Markup {
  return html`<tr><th scope="row">${name}</th><td>${value}</td></tr>
`;
}

export function productPage(product: Product, category: Category): Page {
  const since = released(product);
  const body = html`<article class="product-detail" data-sku="${product.sku}">
<h1>${product.title}</h1>
${product.maker && html`<p class="maker">by <span class="maker-name">${product.maker}</span></p>`}
${prices(product)}
${stock(product)}
${rating(product)}
<p class="description">${product.description}</p>
<table class="specs">
<caption>Details</caption>
<tbody>
${specRow('Article number', product.sku)}${product.gtin && specRow('EAN', product.gtin)}${since && specRow('Since', since)}${
  product.weightGrams !== null && specRow('Weight', weightText(product.weightGrams))
}${product.details.map(([name, value]) => specRow(name, value))}</tbody>
</table>
<p><a class="all-reviews" href="${reviewsPath(product)}">All reviews (${product.reviewCount})</a></p>
</article>`;
  return {
    title: product.title,
    body,
    head: jsonLd(structuredData(product, category)),
    breadcrumbs: crumbs(product, category),
  };
}

function reviewCard(review: Review): Markup {
  return html`<li><article class="review" id="${review.id}">
<h2 class="review-title">${review.title}</h2>
<p class="stars" role="img" aria-label="${review.stars} out of 5 stars">${starsText(review.stars)}</p>
<p class="byline"><span class="review-author">${review.author}</span>, <time datetime="${review.writtenOn}">${britishDate(review.writtenOn)}</time>${
    review.verified && html` <span class="verified">Verified purchase</span>`
  }</p>
<p class="review-text">${review.text}</p>
</article></li>
`;
}

export function reviewsPage(product: Product, category: Category, slice: Slice<Review>): Page {
  const path = reviewsPath(product);
  const body = html`<h1>Reviews of ${product.title}</h1>
<p class="result-count"><span class="total">${slice.total}</span> in all</p>
${slice.total === 0 && html`<p class="empty">Nobody has written one yet.</p>`}
<ol class="reviews">
${slice.items.map(reviewCard)}</ol>
${pager(slice, path)}`;
  return {
    title: `Reviews of ${product.title}`,
    body,
    head: relLinks(slice, path),
    breadcrumbs: crumbs(product, category, 'Reviews'),
  };
}
