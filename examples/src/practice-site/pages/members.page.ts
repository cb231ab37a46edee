import type { MemberOffer } from '../catalogue/product.js';
import { priceText } from '../rendering/formats.js';
import { html } from '../rendering/markup.js';
import type { Page } from './layout.js';

/** The practice account. The login page shows it, because it only protects invented prices. */
export const PRACTICE_ACCOUNT = { username: 'first-mate', password: 'fair-winds' } as const;

export function loginPage(csrf: string, problem?: string): Page {
  return {
    title: 'Log in',
    breadcrumbs: [{ name: 'Home', path: '/' }, { name: 'Log in' }],
    body: html`<h1>Log in</h1>
${problem && html`<p class="form-error" role="alert">${problem}</p>`}
<form class="login" method="post" action="/login">
<input type="hidden" name="csrf" value="${csrf}">
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Log in</button>
</form>
<p class="hint">For practice: <code>${PRACTICE_ACCOUNT.username}</code> and <code>${PRACTICE_ACCOUNT.password}</code>.</p>`,
  };
}

export function membersPage(offers: readonly MemberOffer[], csrf: string): Page {
  const rows = offers.map(
    offer => html`<tr data-sku="${offer.sku}"><th scope="row">${offer.title}</th><td class="trade-price">${priceText(offer.price)}</td></tr>
`,
  );
  return {
    title: 'Members’ prices',
    breadcrumbs: [{ name: 'Home', path: '/' }, { name: 'Members' }],
    body: html`<h1>Members’ prices</h1>
<p class="greeting">Welcome aboard, <span class="member-name">${PRACTICE_ACCOUNT.username}</span>.</p>
<table class="offers">
<caption>Trade prices this month</caption>
<thead><tr><th scope="col">Product</th><th scope="col">Price</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
<form method="post" action="/logout"><input type="hidden" name="csrf" value="${csrf}"><button type="submit">Log out</button></form>`,
  };
}
