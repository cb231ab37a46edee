import { html, type Markup } from '../../rendering/markup.js';
import { type Crumb, type Page, SHOP } from '../layout.js';

function trail(crumbs: readonly Crumb[]): Markup {
  const parts = crumbs.map(({ name, path }, index) => [
    index > 0 && ' › ',
    path ? html`<a href="${path}">${name}</a>` : html`<b>${name}</b>`,
  ]);
  return html`<p class="trail">${parts}</p>`;
}

/** Renders a complete HTML document in the second layout. */
export function redesignedDocument({ title, body, head, breadcrumbs }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${SHOP}</title>
<link rel="stylesheet" href="/assets/style.css">
<link rel="icon" href="data:,">
${head}
</head>
<body class="v2">
<a class="skip" href="#deck">Skip to content</a>
<header class="site-header masthead">
<a class="shop" href="/">${SHOP}</a>
<nav aria-label="Main"><a href="/catalogue">All goods</a> <a href="/js/">Just in</a> <a href="/members">Trade prices</a></nav>
</header>
<main id="deck">
${breadcrumbs && trail(breadcrumbs)}
${body}
</main>
<footer class="site-footer">
<p>A practice site: shop, goods, people and prices are invented, and nothing can be bought. Scrape it as you like.</p>
</footer>
</body>
</html>
`.text;
}
