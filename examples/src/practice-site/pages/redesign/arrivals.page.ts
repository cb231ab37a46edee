import { html } from '../../rendering/markup.js';
import type { Page } from '../layout.js';

/** Returns a page without items in its HTML: its script loads them. */
export function redesignedArrivals(): Page {
  return {
    title: 'Just in',
    head: html`<script src="/assets/arrivals.js" defer></script>`,
    breadcrumbs: [{ name: 'Home', path: '/' }, { name: 'Just in' }],
    body: html`<h1>Just in</h1>
<p id="progress" role="status">Unpacking…</p>
<noscript><p>This list needs JavaScript.</p></noscript>
<div id="just-in" class="grid" data-source="/js/arrivals.json"></div>`,
  };
}

export const redesignedArrivalsScript = `'use strict';
const grid = document.querySelector('#just-in');
const progress = document.querySelector('#progress');

function part(name, className, text) {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
}

function tile(item) {
  const section = document.createElement('section');
  section.className = 'tile';
  section.dataset.sku = item.sku;
  const name = part('h3', 'tile-name', '');
  const link = document.createElement('a');
  link.href = item.path;
  link.textContent = item.title;
  name.append(link);
  const box = part('div', 'buy-box', '');
  box.append(part('span', 'amount', item.price), ' ', part('small', 'since', item.arrived));
  section.append(name, box);
  return section;
}

async function unpack() {
  let source = grid.dataset.source;
  while (source) {
    const answer = await fetch(source);
    if (!answer.ok) throw new Error('the shop answered ' + answer.status);
    const { items, next } = await answer.json();
    grid.append(...items.map(tile));
    source = next;
  }
  progress.textContent = grid.children.length + ' things just in';
}

unpack().catch(error => { progress.textContent = 'The list could not be loaded: ' + error.message; });
`;
