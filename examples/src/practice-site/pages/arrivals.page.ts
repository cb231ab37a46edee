import { html } from '../rendering/markup.js';
import type { Page } from './layout.js';

/** Renders a page without items in its HTML: its script loads them. */
export function arrivalsPage(): Page {
  return {
    title: 'New arrivals',
    head: html`<script src="/assets/arrivals.js" defer></script>`,
    breadcrumbs: [{ name: 'Home', path: '/' }, { name: 'New arrivals' }],
    body: html`<h1>New arrivals</h1>
<p id="arrivals-status" role="status">Unpacking…</p>
<noscript><p>This list needs JavaScript.</p></noscript>
<ol id="arrivals" class="products" data-source="/js/arrivals.json"></ol>`,
  };
}

export const arrivalsScript = `'use strict';
const list = document.querySelector('#arrivals');
const status = document.querySelector('#arrivals-status');

function line(className, text) {
  const element = document.createElement('p');
  element.className = className;
  element.textContent = text;
  return element;
}

function card(item) {
  const article = document.createElement('article');
  article.className = 'product';
  article.dataset.sku = item.sku;
  const heading = document.createElement('h2');
  heading.className = 'product-title';
  const link = document.createElement('a');
  link.href = item.path;
  link.textContent = item.title;
  heading.append(link);
  article.append(heading, line('price', item.price), line('arrived', item.arrived));
  const entry = document.createElement('li');
  entry.append(article);
  return entry;
}

async function unpack() {
  let source = list.dataset.source;
  while (source) {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error('the shop answered ' + answer.status);
    const { items, next } = await answer.json();
    list.append(...items.map(card));
    source = next;
  }
  status.textContent = list.children.length + ' new arrivals';
}

unpack().catch(error => { status.textContent = 'The list could not be loaded: ' + error.message; });
`;
