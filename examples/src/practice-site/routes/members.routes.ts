import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCookie } from 'cookie';
import express, { type Request, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { MemberOffer } from '../catalogue/product.js';
import { PRACTICE_ACCOUNT } from '../pages/members.page.js';
import { linkIn, show } from './layouts.js';

const COOKIE = 'practice_session';
const SESSION_MS = 60 * 60 * 1000;

interface Session {
  csrf: string;
  isMember: boolean;
}

function same(given: unknown, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(expected));
}

function field(req: Request, name: string): unknown {
  return (req.body as Record<string, unknown> | undefined)?.[name];
}

/** Routes of login (with cookie and CSRF field), members' prices and logout. Sessions are in memory for an hour. */
export function membersRoutes(offers: readonly MemberOffer[]): Router {
  const sessions = new LRUCache<string, Session>({ max: 1000, ttl: SESSION_MS });
  const routes = Router();
  routes.use(express.urlencoded({ extended: false, limit: '4kb' }));

  const sessionId = (req: Request): string | undefined => parseCookie(req.get('cookie') ?? '')[COOKIE];
  const sessionOf = (req: Request): Session | undefined => {
    const id = sessionId(req);
    return id === undefined ? undefined : sessions.get(id);
  };
  // Login and logout give the session a new id. This prevents session fixation.
  const begin = (req: Request, res: Response, isMember: boolean): Session => {
    end(req);
    const id = randomBytes(24).toString('base64url');
    const session = { csrf: randomBytes(24).toString('base64url'), isMember };
    sessions.set(id, session);
    res.cookie(COOKIE, id, { httpOnly: true, sameSite: 'lax', path: '/', maxAge: SESSION_MS });
    return session;
  };
  const end = (req: Request): void => {
    const id = sessionId(req);
    if (id !== undefined) sessions.delete(id);
  };
  const csrfMissing = (res: Response): void => {
    show(res.status(403), pages =>
      pages.message('Form expired', 'The csrf field of the form does not match this session. Reload the page.'),
    );
  };

  routes.get('/login', (req, res) => {
    const session = sessionOf(req);
    if (session?.isMember) return res.redirect(303, linkIn(res, '/members'));
    const { csrf } = session ?? begin(req, res, false);
    show(res, pages => pages.login(csrf));
  });

  routes.post('/login', (req, res) => {
    const session = sessionOf(req);
    if (!session || !same(field(req, 'csrf'), session.csrf)) return csrfMissing(res);
    const knownName = same(field(req, 'username'), PRACTICE_ACCOUNT.username);
    const knownPassword = same(field(req, 'password'), PRACTICE_ACCOUNT.password);
    if (!knownName || !knownPassword) {
      show(res.status(401), pages => pages.login(session.csrf, 'Wrong username or password.'));
      return;
    }
    begin(req, res, true);
    res.redirect(303, linkIn(res, '/members'));
  });

  routes.get('/members', (req, res) => {
    const session = sessionOf(req);
    if (!session?.isMember) return res.redirect(303, linkIn(res, '/login'));
    show(res.set('Cache-Control', 'no-store'), pages => pages.members(offers, session.csrf));
  });

  routes.post('/logout', (req, res) => {
    const session = sessionOf(req);
    if (!session || !same(field(req, 'csrf'), session.csrf)) return csrfMissing(res);
    end(req);
    res.clearCookie(COOKIE, { path: '/' }).redirect(303, linkIn(res, '/'));
  });

  return routes;
}
