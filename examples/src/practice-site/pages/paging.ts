import { html, type Markup } from '../rendering/markup.js';

/** One page of a longer list. */
export interface Slice<T> {
  items: readonly T[];
  page: number;
  pages: number;
  total: number;
}

/**
 * Returns the items of the page whose number is in the query (default 1). Returns null if there is no such page. An
 * empty list has one page.
 */
export function slicePage<T>(all: readonly T[], asked: unknown, perPage: number): Slice<T> | null {
  const text = asked === undefined ? '1' : asked;
  if (typeof text !== 'string' || !/^[1-9]\d{0,5}$/.test(text)) return null;
  const page = Number(text);
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  if (page > pages) return null;
  return { items: all.slice((page - 1) * perPage, page * perPage), page, pages, total: all.length };
}

function pagePath(path: string, page: number): string {
  return page === 1 ? path : `${path}?page=${page}`;
}

/** Renders `<link rel=prev>` and `<link rel=next>` for the head. */
export function relLinks({ page, pages }: Slice<unknown>, path: string): Markup {
  return html`${page > 1 && html`<link rel="prev" href="${pagePath(path, page - 1)}">`}${
    page < pages && html`<link rel="next" href="${pagePath(path, page + 1)}">`
  }`;
}

export function pager({ page, pages }: Slice<unknown>, path: string): Markup | null {
  if (pages === 1) return null;
  return html`<nav class="pager" aria-label="Pages">
${page > 1 && html`<a rel="prev" href="${pagePath(path, page - 1)}">Previous</a>`}
<span>Page ${page} of ${pages}</span>
${page < pages && html`<a rel="next" href="${pagePath(path, page + 1)}">Next</a>`}
</nav>`;
}
