import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';
import sirv from 'sirv';
import type { Config } from '../../platform/common/config.js';
import { sendBuildingPage } from './building-page.js';
import type { Website } from './website.js';

/** Paths of the API. An unknown path below them gets a JSON response, not an HTML page. */
const API = /^\/(joint-api|apps|worker-api|health|socket\.io|www|ip)(\/|$)/;

/** Types of text files for which `sirv` sends no charset. Without it, browsers may not read them as UTF-8. */
const TEXT_TYPES: Record<string, string> = {
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
};

/** Sent without a charset, because RFC 9512 defines no charset parameter for YAML. */
const YAML = 'application/yaml';

/**
 * The folder for files whose names contain a hash of their content. Such a file never changes, so browsers may cache it
 * forever.
 */
const HASHED = '/assets/';

/**
 * The source code. `sirv` would send it as a compressed `source.tar`, which browsers unpack, so that the saved file would
 * not be what its name says.
 */
const SOURCE_ARCHIVE = '/source.tar.gz';

/** Paths of the 404 page itself. A request for them gets status 404, not 200. */
const NOT_FOUND_PAGE = /^\/404(\.html)?\/?$/;

/** Serves the built website and panel, from the same origin as the API. */
export function serveSite(website: Website, { panelDir }: Pick<Config, 'panelDir'>): RequestHandler {
  const panel = files(panelDir);
  // The panel shows images of scraped pages, in rows and echoes.
  const panelHeaders = headers({ images: ['https:'] });
  let served = websiteIn(null, []);

  const sendPage = (response: Response, path: string | null, status: number) => {
    const page = path === null ? null : readIfExists(path);
    if (page) response.status(status).type('html').set('Cache-Control', 'no-cache').send(page);
    else {
      const text = 'This part of the site has not been built. Run `npm run build`.\n';
      response.status(404).type('text/plain').send(text);
    }
  };

  const sendPanel: Middleware = (request, response) => {
    // Keep the path valid: `/panel?x` becomes `/?x`, not `?x`.
    request.url = request.url.slice('/panel'.length).replace(/^(?!\/)/, '/');
    panel(request, response, () =>
      sendPage(response, join(panelDir, 'index.html'), request.path.startsWith('/assets/') ? 404 : 200),
    );
  };

  const sendWebsite = async (request: Request, response: Response) => {
    const { dir, scripts, build } = await website.look();
    if (served.dir !== dir) served = websiteIn(dir, scripts);
    const { headers, files } = served;
    const notFound = () => sendPage(response, dir === null ? null : join(dir, '404.html'), 404);
    headers(request, response, () => {
      if (dir === null && build) sendBuildingPage(request, response, build);
      else if (files === null || NOT_FOUND_PAGE.test(request.path)) notFound();
      else if (request.path === SOURCE_ARCHIVE) sendArchive(response, dir as string, notFound);
      else files(request, response, notFound);
    });
  };

  return (request, response, next) => {
    if ((request.method !== 'GET' && request.method !== 'HEAD') || API.test(request.path)) {
      apiHeaders(request, response, next);
    } else if (request.path === '/panel' || request.path.startsWith('/panel/')) {
      panelHeaders(request, response, () => sendPanel(request, response, next));
    } else return sendWebsite(request, response);
  };
}

const websiteIn = (dir: string | null, scripts: string[]) => ({
  dir,
  files: dir === null ? null : files(dir),
  headers: headers({ scripts }),
});

/**
 * Reads a page at each request, because a new build replaces it: the old page would ask for files that are gone. Returns
 * null if there is none.
 */
function readIfExists(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Serves the files of a build folder, which may not exist yet. */
const files = (dir: string): ReturnType<typeof sirv> =>
  sirv(dir, {
    // Looks for files on the disk at each request. With a cached list of files, a file that a new build of the panel
    // removed would crash the process.
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

function sendArchive(response: Response, root: string, notFound: () => void): void {
  const options = { root, cacheControl: false, headers: { 'Cache-Control': 'no-cache' } };
  response.sendFile(SOURCE_ARCHIVE, options, error => {
    if (error && !response.headersSent) notFound();
  });
}

type Middleware = (request: Request, response: Response, next: NextFunction) => void;

/**
 * Security headers: pages may load data from and send it to only this origin, so that injected code cannot send data
 * elsewhere.
 */
const headers = ({ scripts = [], images = [] }: { scripts?: string[]; images?: string[] }): Middleware =>
  helmet({
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...scripts],
        // The component libraries set style attributes. This is safe, because styles cannot run code.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', ...images],
        // `'self'` includes WebSockets of this origin.
        connectSrc: ["'self'"],
        objectSrc: ["'none'"],
        frameAncestors: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        // Off, because a local installation has no TLS. A TLS proxy can add this directive.
        upgradeInsecureRequests: null,
      },
    },
    strictTransportSecurity: false,
  }) as Middleware;

const apiHeaders = helmet({
  contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } },
  strictTransportSecurity: false,
}) as Middleware;
