import type { RequestHandler, Response } from 'express';
import { arrivalsPage, arrivalsScript } from '../pages/arrivals.page.js';
import { homePage } from '../pages/home.page.js';
import { document, type Page } from '../pages/layout.js';
import { listingPage } from '../pages/listing.page.js';
import { loginPage, membersPage } from '../pages/members.page.js';
import { messagePage } from '../pages/message.page.js';
import { productPage, reviewsPage } from '../pages/product.page.js';
import { redesign } from '../pages/redesign/redesign.js';

/** The pages of the shop, and the document around them. Both layouts show the same data. */
const first = {
  document,
  home: homePage,
  listing: listingPage,
  product: productPage,
  reviews: reviewsPage,
  arrivals: arrivalsPage,
  login: loginPage,
  members: membersPage,
  message: messagePage,
  arrivalsScript,
};
export type Pages = typeof first;

const LAYOUTS = { '1': first, '2': { ...first, ...redesign } } satisfies Record<string, Pages>;
export type Layout = keyof typeof LAYOUTS;

export const isLayout = (text: unknown): text is Layout => typeof text === 'string' && Object.hasOwn(LAYOUTS, text);

interface Chosen {
  layout: Layout;
  /** Whether the query has the layout, so that links need it, too. */
  isInQuery: boolean;
}

const chosenFor = (res: Response): Chosen => res.locals.chosen as Chosen;

/** Chooses the layout of each answer: the one in the query, else the one of the shop. */
export function layoutOf(shop: Layout): RequestHandler {
  return (req, res, next) => {
    const { layout } = req.query;
    const isInQuery = isLayout(layout);
    res.locals.chosen = { layout: isInQuery ? layout : shop, isInQuery } satisfies Chosen;
    if (layout === undefined || isInQuery) return next();
    show(res.status(400), pages => pages.message('Bad request', '“layout” must be 1 or 2.'));
  };
}

/** Returns the pages in the layout of the answer. */
export const pagesOf = (res: Response): Pages => LAYOUTS[chosenFor(res).layout];

/** Adds the layout of the query to a path of the shop. */
export function linkIn(res: Response, path: string): string {
  const { layout, isInQuery } = chosenFor(res);
  return isInQuery ? `${path}${path.includes('?') ? '&' : '?'}layout=${layout}` : path;
}

/** Sends a page. If the query has a layout, all links to the shop have it, too. */
export function show(res: Response, choose: (pages: Pages) => Page): void {
  const pages = pagesOf(res);
  const text = pages.document(choose(pages));
  res.send(
    text.replaceAll(
      / (href|src|action|data-source)="(\/[^"]*)"/g,
      (_, name: string, path: string) => ` ${name}="${linkIn(res, path).replace('&layout', '&amp;layout')}"`,
    ),
  );
}
