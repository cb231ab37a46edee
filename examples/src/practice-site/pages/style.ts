export const styleSheet = `:root {
  --ink: #0b1f2a; --deep: #0f2f3f; --paper: #ffffff; --surface: #f4f7f8; --line: #d6e0e4;
  --accent: #d9481c; --sea: #0b7f77; --ok: #1f7a3f; --warn: #8a5a00; --error: #b3261e;
  color-scheme: light dark;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6eef2; --paper: #081820; --surface: #0e2530; --line: #1d3a47;
    --accent: #ff7a4d; --sea: #3cc9bd; --ok: #4cc38a; --warn: #f0b440; --error: #ff8a80;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--sea); }
a:focus-visible, button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 { font-size: clamp(1.5rem, 5vw, 2.25rem); line-height: 1.15; margin: 0.75rem 0; }
h2 { font-size: 1.05rem; line-height: 1.3; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: 0.5rem; z-index: 1; }
.site-header {
  background-color: #0f2f3f; color: #e6eef2; padding: 1rem max(1rem, calc((100% - 1180px) / 2 + 1rem));
  background-image: radial-gradient(#3cc9bd33 1.5px, transparent 1.5px), linear-gradient(#3cc9bd14 1px, transparent 1px),
    linear-gradient(90deg, #3cc9bd14 1px, transparent 1px);
  background-size: 24px 24px; background-position: -12px -12px, 0 0, 0 0;
}
.site-header a { color: #e6eef2; }
.site-header .shop { font: 700 1.35rem/1.2 Georgia, serif; text-decoration: none; }
.site-header .claim { margin: 0.15rem 0 0.5rem; font-size: 0.9rem; }
.site-header ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; list-style: none; margin: 0; padding: 0; }
main, .site-footer p { max-width: 1180px; margin: 0 auto; padding: 1rem; }
.site-footer { border-top: 1px solid var(--line); font-size: 0.9rem; }
.breadcrumbs ol { display: flex; flex-wrap: wrap; gap: 0.25rem; list-style: none; margin: 0; padding: 0; font-size: 0.9rem; }
.breadcrumbs li + li::before { content: '/'; margin-right: 0.25rem; color: var(--sea); }
.categories ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; padding: 0; font-size: 0.95rem; }
.products, .reviews { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); }
.reviews { grid-template-columns: 1fr; }
.product, .review { height: 100%; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: 0.75rem 1rem; }
.product p, .review p { margin: 0.25rem 0; }
.product h2, .review h2 { margin: 0 0 0.25rem; }
.price { font-weight: 700; text-decoration: none; }
.price-was { font-size: 0.9rem; }
.stars { color: var(--accent); letter-spacing: 0.1em; }
.in_stock { color: var(--ok); } .low_stock, .back_order { color: var(--warn); } .sold_out, .form-error { color: var(--error); }
.facts { margin: 0.5rem 0 0; font-size: 0.9rem; }
.facts div { display: flex; gap: 0.5rem; } .facts dd { margin: 0; }
table { border-collapse: collapse; width: 100%; max-width: 46rem; }
caption { text-align: left; font-weight: 700; padding: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-bottom: 1px solid var(--line); }
th[scope='row'] { font-weight: 500; }
.pager { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; margin: 1.5rem 0; }
.login { display: grid; gap: 0.4rem; max-width: 22rem; }
input { font: inherit; padding: 0.5rem; width: 100%; color: inherit; background: var(--surface); border: 1px solid #6b8694; border-radius: 4px; }
button, .button {
  font: inherit; font-weight: 700; display: inline-block; margin-top: 0.75rem; padding: 0.55rem 1.1rem; border: 0;
  border-radius: 4px; color: #ffffff; background: #0b7f77; text-decoration: none; cursor: pointer;
}
.shelves { padding-left: 1.1rem; } .shelves li { margin: 0.4rem 0; }
.verified { font-size: 0.85rem; color: var(--ok); }
.v2 .masthead { background-image: none; border-bottom: 4px solid var(--accent); }
.v2 .masthead nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
.grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.tile { display: flex; flex-direction: column; border-top: 3px solid var(--sea); padding: 0.5rem 0; }
.tile h3 { margin: 0; }
.brand, .fine-print, .score { margin: 0.2rem 0; font-size: 0.9rem; }
.buy-box { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin-top: auto; }
.amount { font-size: 1.25rem; font-weight: 700; color: var(--accent); }
.shelf-list { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 2rem 0; }
.particulars { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
.particulars dd { margin: 0; }
.trade li { display: flex; justify-content: space-between; gap: 1rem; max-width: 46rem; }
`;
