// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache');
const require = createRequire(import.meta.url);
const DOCUSAURUS = join(dirname(require.resolve('@docusaurus/core/package.json')), 'bin/docusaurus.mjs');

/** Folder of Trawl's website. */
export const website = join(ROOT, 'website');

/** Copies Docusaurus's default template into the cache folder, where it uses the same packages as the website. */
export function defaultTemplate() {
  const templates = join(dirname(require.resolve('create-docusaurus/package.json')), 'templates');
  const site = join(CACHE, 'trawl/docusaurus-template');
  rmSync(site, { recursive: true, force: true });
  for (const template of ['shared', 'classic']) cpSync(join(templates, template), site, { recursive: true });
  return site;
}

/**
 * Builds a site from scratch into a folder of its own.
 * @param {string} site
 * @returns {Promise<{ outDir: string, ms: number }>}
 */
export async function buildFromClean(site) {
  const outDir = join(CACHE, 'trawl', site === website ? 'bench-website' : 'bench-template');
  for (const kept of [outDir, join(site, '.docusaurus'), join(site, 'node_modules/.cache'), join(CACHE, 'rspack')]) {
    rmSync(kept, { recursive: true, force: true });
  }
  const beganAt = performance.now();
  const child = spawn(process.execPath, [DOCUSAURUS, 'build', '--out-dir', outDir], {
    cwd: site,
    // As in scripts/common/build.mjs.
    env: site === website ? { ...process.env, SKIP_HTML_MINIFICATION: 'true' } : process.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0 || !existsSync(join(outDir, 'index.html'))) throw new Error(`${site} was not built:\n${said}`);
  return { outDir, ms: performance.now() - beganAt };
}

/**
 * Serves a built site on the loopback address.
 * @param {string} outDir
 */
export async function serve(outDir) {
  const files = sirv(outDir, { dev: true });
  const server = createServer((request, response) =>
    files(request, response, () => void response.writeHead(404).end()),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
