import { type RequestHandler, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import { show } from './layouts.js';

const SLOW_MAX_MS = 10_000;
const FAILURES_MAX = 20;
const KEY_MAX_CHARS = 100;
/** With `?rough=<key>`, every product page whose number is a multiple of this fails at the first request. */
const ROUGH_EVERY = 4;

/** Parses an integer in a query; null if it is invalid or out of range. */
function wholeNumber(value: unknown, min: number, max: number): number | null {
  if (typeof value !== 'string' || !/^\d{1,6}$/.test(value)) return null;
  const number = Number(value);
  return number >= min && number <= max ? number : null;
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= KEY_MAX_CHARS;
}

/**
 * Returns a function that counts its calls for each key. The number of keys in memory is limited, so that visitors
 * cannot fill the memory.
 */
function attemptCounter(): (key: string) => number {
  const attempts = new LRUCache<string, number>({ max: 20_000 });
  return key => {
    const attempt = (attempts.get(key) ?? 0) + 1;
    attempts.set(key, attempt);
    return attempt;
  };
}

function badQuery(res: Response, text: string): void {
  show(res.status(400), pages => pages.message('Bad request', text));
}

function unavailable(res: Response): void {
  show(res.status(503).set('Retry-After', '0'), pages =>
    pages.message('Out of service', 'A wave came over the server. Try again.'),
  );
}

/**
 * With `?rough=<key>`, one of four product pages responds with 503 to the first request with this key. Without the
 * parameter all pages work.
 */
export function roughWeather(): RequestHandler<{ slug: string }> {
  const attempt = attemptCounter();
  return (req, res, next) => {
    const key = req.query.rough;
    if (key === undefined) return next();
    if (!isKey(key)) return badQuery(res, `“rough” must be a key of your choice, of 1 to ${KEY_MAX_CHARS} characters.`);
    const { slug } = req.params;
    const number = Number(/(\d+)$/.exec(slug)?.[1] ?? 0);
    if (number % ROUGH_EVERY === 0 && attempt(`${key} ${slug}`) === 1) return unavailable(res);
    next();
  };
}

/** Routes of pages that are slow or fail, as set in the query. */
export function troubleRoutes(): Router {
  const attempt = attemptCounter();
  const routes = Router();

  routes.get('/slow', (req, res) => {
    const ms = wholeNumber(req.query.ms ?? '1000', 0, 999_999);
    if (ms === null) return badQuery(res, '“ms” must be a whole number of milliseconds.');
    const waitMs = Math.min(ms, SLOW_MAX_MS);
    const answer = () => show(res, pages => pages.message('At last', `This page took ${waitMs} ms on purpose.`));
    const timer = setTimeout(answer, waitMs);
    res.on('close', () => clearTimeout(timer));
  });

  routes.get('/fail', (req, res) => {
    const status = wholeNumber(req.query.status ?? '500', 400, 599);
    if (status === null) return badQuery(res, '“status” must be a number from 400 to 599.');
    show(res.status(status), pages => pages.message(`Failed with ${status}`, 'This page always fails, on purpose.'));
  });

  routes.get('/flaky', (req, res) => {
    const times = wholeNumber(req.query.times ?? '2', 0, FAILURES_MAX);
    const { key } = req.query;
    if (!isKey(key)) return badQuery(res, `“key” must be a key of your choice, of 1 to ${KEY_MAX_CHARS} characters.`);
    if (times === null) return badQuery(res, `“times” must be a whole number from 0 to ${FAILURES_MAX}.`);
    const attempts = attempt(key);
    if (attempts <= times) return unavailable(res);
    show(res, pages =>
      pages.message('Afloat again', `This was attempt ${attempts}; the first ${times} failed on purpose.`),
    );
  });

  return routes;
}
