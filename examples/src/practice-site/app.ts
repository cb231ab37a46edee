import express, { type ErrorRequestHandler, type Express } from 'express';
import { catalogue } from './catalogue/catalogue.js';
import type { Catalogue } from './catalogue/product.js';
import { catalogueRoutes } from './routes/catalogue.routes.js';
import { type Layout, layoutOf, show } from './routes/layouts.js';
import { machineRoutes } from './routes/machine.routes.js';
import { membersRoutes } from './routes/members.routes.js';
import { troubleRoutes } from './routes/trouble.routes.js';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Keeps the 4xx status of malformed requests. Logs all other errors to stderr. */
const answerError: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (res.headersSent) return next(error);
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) {
    show(res.status(status), pages => pages.message('Bad request', 'The request is malformed.'));
    return;
  }
  console.error(`practice site: ${req.method} ${req.path} failed:`, error);
  show(res.status(500), pages =>
    pages.message('Something broke', 'The practice site has a bug. Its terminal shows the error.'),
  );
};

/** @param layout of pages whose query has no `layout` */
export function practiceSiteApp(layout: Layout = '1', shop: Catalogue = catalogue()): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use((_req, res, next) => {
    res.set({
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
    });
    next();
  });
  app.use(layoutOf(layout));
  app.use(machineRoutes(shop), catalogueRoutes(shop), troubleRoutes(), membersRoutes(shop.memberOffers));
  app.use((_req, res) => {
    show(res.status(404), pages => pages.message('Not found', 'There is nothing at this address.'));
  });
  app.use(answerError);
  return app;
}
