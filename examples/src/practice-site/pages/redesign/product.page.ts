import type { Category, Product, Review } from '../../catalogue/product.js';
import { weightText } from '../../rendering/formats.js';
import { html, jsonLd, type Markup } from '../../rendering/markup.js';
import type { Page } from '../layout.js';
import { pager, relLinks, type Slice } from '../paging.js';
import { crumbs, reviewsPath, structuredData } from '../product.page.js';
import { buyBox, day, score } from './listing.page.js';

function particular(name: string, value: string | Markup): Markup {
  return html`<dt>${name}</dt><dd>${value}</dd>
`;
}

export function redesignedProduct(product: Product, category: Category): Page {
  const body = html`<div class="item" data-sku="${product.sku}">
<h1>${product.title}</h1>
${product.maker && html`<cite class="brand">${product.maker}</cite>`}
<div class="about">${product.description}</div>
${score(product)}
<dl class="particulars">
${particular('Article number', product.sku)}${product.gtin && particular('EAN', html`<code class="ean">${product.gtin}</code>`)}${
  product.released && particular('Since', day(product.released))
}${product.weightGrams !== null && particular('Weight', weightText(product.weightGrams))}${product.details.map(([name, value]) => particular(name, value))}</dl>
${buyBox(product)}
<a class="opinions-link" href="${reviewsPath(product)}">Opinions (${product.reviewCount})</a>
</div>`;
  return {
    title: product.title,
    body,
    head: jsonLd(structuredData(product, category)),
    breadcrumbs: crumbs(product, category),
  };
}

function opinion(review: Review): Markup {
  return html`<section class="opinion" id="${review.id}">
<h3>${review.title}</h3>
<p><b class="score-value">${review.stars}</b>/5 by <cite>${review.author}</cite> on ${day(review.writtenOn)}${review.verified && html` <i>(bought here)</i>`}</p>
<blockquote>${review.text}</blockquote>
</section>
`;
}

export function redesignedReviews(product: Product, category: Category, slice: Slice<Review>): Page {
  const path = reviewsPath(product);
  const body = html`<h1>Opinions on ${product.title}</h1>
<p class="how-many">${slice.total} in all</p>
${slice.total === 0 && html`<p class="nothing">Nobody has written one yet.</p>`}
<div class="opinions">
${slice.items.map(opinion)}</div>
${pager(slice, path)}`;
  return {
    title: `Opinions on ${product.title}`,
    body,
    head: relLinks(slice, path),
    breadcrumbs: crumbs(product, category, 'Opinions'),
  };
}
