import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import sirv from 'sirv';
import type { Config } from '../common/config.js';

/** Paths that are the API's, where an unknown one is answered as JSON. */
const API = /^\/(joint-api|apps|worker-api|health|socket\.io|www|ip)(\/|$)/;

/** Of these the library does not say that they are UTF-8, and a reader's system may take them for something else. */
const TEXT_TYPES: Record<string, string> = {
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
};

/** RFC 9512, which gives it no character set: YAML is UTF-8. */
const YAML = 'application/yaml';

/** Where both builds put files that have their hash in the name, and so never change. */
const HASHED = '/assets/';

/** The page for what is not there is not there under its own name either. */
const NOT_FOUND_PAGE = /^\/404(\.html)?\/?$/;

/** Website and panel, as they were built, on the origin of the API. */
export function serveSite({ websiteDir, panelDir }: Pick<Config, 'websiteDir' | 'panelDir'>): RequestHandler {
  const website = files(websiteDir);
  const panel = files(panelDir);
  const websiteHeaders = headers({ scripts: inlineScriptHashes(websiteDir) });
  // Rows and echoes show pictures of the pages that they come from.
  const panelHeaders = headers({ images: ['https:'] });
  const notFoundPage = existsSync(join(websiteDir, '404.html')) ? readFileSync(join(websiteDir, '404.html')) : null;
  const panelPage = existsSync(join(panelDir, 'index.html')) ? readFileSync(join(panelDir, 'index.html')) : null;

  return (request, response, next) => {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || API.test(request.path)) {
      apiHeaders(request, response, next);
      return;
    }
    const inPanel = request.path === '/panel' || request.path.startsWith('/panel/');
    const page = inPanel ? panelPage : notFoundPage;
    const sendPage = () => {
      if (!page) {
        response.status(404).type('text/plain').send('This part of the site is not built. Run npm run build.\n');
        return;
      }
      response.status(inPanel && !request.path.startsWith('/assets/') ? 200 : 404);
      response.type('html').set('Cache-Control', 'no-cache').send(page);
    };
    (inPanel ? panelHeaders : websiteHeaders)(request, response, () => {
      if (inPanel) {
        // `/panel?x` has no slash of its own.
        request.url = request.url.slice('/panel'.length).replace(/^(?!\/)/, '/');
        panel(request, response, sendPage);
      } else if (NOT_FOUND_PAGE.test(request.path)) sendPage();
      else website(request, response, sendPage);
    });
  };
}

/** Files of a folder as it is now; a room that is not built yet has none. */
const files = (dir: string): ReturnType<typeof sirv> => {
  if (!existsSync(dir)) return (_request, _response, next) => next?.();
  return sirv(dir, {
    // Looks at the disk for each request. Otherwise a file that a new build has replaced would end the process.
    dev: true,
    gzip: true,
    brotli: true,
    etag: true,
    setHeaders: (response, path) => {
      const immutable = path.startsWith(HASHED);
      response.setHeader('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      const type = TEXT_TYPES[extname(path)];
      if (extname(path) === '.yaml') response.setHeader('Content-Type', YAML);
      if (type) response.setHeader('Content-Type', `${type}; charset=utf-8`);
    },
  });
};

type Middleware = (request: Request, response: Response, next: NextFunction) => void;

/** What pages may load and call: nothing but what is served here, so that no injected text can carry data away. */
const headers = ({ scripts = [], images = [] }: { scripts?: string[]; images?: string[] }): Middleware =>
  helmet({
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scripts],
        // Component libraries set style attributes; a style cannot run anything.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', ...images],
        // Covers the sockets of this origin, too.
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        // Served without TLS on a machine of one's own; a TLS front adds it.
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: false,
  }) as Middleware;

const apiHeaders = helmet({
  contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } },
  strictTransportSecurity: false,
}) as Middleware;

/** Docusaurus writes small scripts into its pages (the theme, before the first paint); the policy names each by its hash. */
function inlineScriptHashes(dir: string): string[] {
  if (!existsSync(dir)) return [];
  const hashes = new Set<string>();
  for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    for (const [, attributes = '', code = ''] of readFileSync(join(dir, name), 'utf8').matchAll(
      /<script([^>]*)>([\s\S]*?)<\/script>/g,
    )) {
      if (/\bsrc=|application\/(ld\+)?json/.test(attributes) || code === '') continue;
      hashes.add(`'sha256-${createHash('sha256').update(code).digest('base64')}'`);
    }
  }
  return [...hashes];
}
