import type { MemberOffer } from '../../catalogue/product.js';
import { priceText } from '../../rendering/formats.js';
import { html } from '../../rendering/markup.js';
import type { Page } from '../layout.js';
import { PRACTICE_ACCOUNT } from '../members.page.js';

export function redesignedMembers(offers: readonly MemberOffer[], csrf: string): Page {
  const items = offers.map(
    ({
      sku,
      title,
      price,
    }) => html`<li data-sku="${sku}"><span>${title}</span> <data class="amount" value="${price.amount.toFixed(2)}">${priceText(price)}</data></li>
`,
  );
  return {
    title: 'Trade prices',
    breadcrumbs: [{ name: 'Home', path: '/' }, { name: 'Members' }],
    body: html`<h1>Trade prices this month</h1>
<p>Signed in as <b>${PRACTICE_ACCOUNT.username}</b></p>
<ul class="trade">
${items}</ul>
<form method="post" action="/logout"><input type="hidden" name="csrf" value="${csrf}"><button type="submit">Log out</button></form>`,
  };
}
