import type { Request, Response } from 'express';
import type { WebsiteBuild } from './website.js';

const RELOAD_S = 3;

/** Tells a visitor that the website is being built, and how far that is. The page reloads until the website is there. */
export function sendBuildingPage(request: Request, response: Response, build: WebsiteBuild): void {
  response.status(503).set({ 'Cache-Control': 'no-store', 'Retry-After': String(RELOAD_S) });
  if (request.accepts(['text', 'html']) === 'html') response.type('html').send(page(build));
  else response.type('text/plain').send(`${title(build)}. ${progress(build)}\n`);
}

const title = ({ failed }: WebsiteBuild): string =>
  failed ? 'The website could not be built' : 'The website is being built';

function progress({ failed, step, steps, text }: WebsiteBuild): string {
  if (failed) return 'The terminal of npm start shows the error. To try again, run: npm run build';
  if (step === undefined) return 'The build begins as soon as the first run has ended. It takes about a minute.';
  return `Step ${step} of ${steps}: ${text}.`;
}

const page = (build: WebsiteBuild): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${RELOAD_S}">
<title>${title(build)}</title>
<style>
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
body { max-width: 36rem; margin: 20vh auto; padding: 0 1.5rem }
</style>
<h1>${title(build)}</h1>
<p role="status">${progress(build)}</p>
<p>This page reloads, and shows the website when it is ready. <a href="/panel/login">The panel</a> and the API work already.</p>
</html>
`;
