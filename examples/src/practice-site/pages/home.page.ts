import type { Category } from '../catalogue/product.js';
import { html } from '../rendering/markup.js';
import { categoryPath, type Page, SHOP } from './layout.js';

export function homePage(categories: readonly Category[], productCount: number): Page {
  const shelves = categories.map(
    category => html`<li><a href="${categoryPath(category)}">${category.name}</a> <span>${category.blurb}</span></li>
`,
  );
  return {
    title: 'Welcome aboard',
    body: html`<h1>${SHOP}</h1>
<p class="blurb">${productCount.toLocaleString('en-GB')} things for boats and for the people who read on them.</p>
<p><a class="button" href="/catalogue">See the whole catalogue</a></p>
<h2>Shelves</h2>
<ul class="shelves">
${shelves}</ul>`,
  };
}
