import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSkript, servePages } from '@trawl/testing';
import main from './main';

const page = (sku: string, title: string, head = '') => `${head}
  <article class="product" data-sku="${sku}">
    <h2 class="product-title"><a href="/${sku}" title="${title}">…</a></h2>
    <ins class="price">£1.50</ins>
  </article>`;

test('stores the books of all pages of a shelf', async () => {
  const shop = await servePages({
    '/categories/maps': page('A1', 'Harbours', '<link rel="next" href="/categories/maps?page=2">'),
    '/categories/maps?page=2': page('A2', 'Shores'),
  });
  const { output, rows } = await runSkript(main, { input: { base_url: shop.url, shelf: 'maps' } });
  assert.deepEqual(output, { books: 2 });
  assert.deepEqual(rows, [
    { sku: 'A1', title: 'Harbours', price: '£1.50' },
    { sku: 'A2', title: 'Shores', price: '£1.50' },
  ]);
});
