// @ts-check
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fromRoot, ROOT } from '../common/paths.mjs';
import { Problem } from '../common/problem.mjs';

/**
 * @typedef {object} Settings
 * @property {number} port of website, panel and API
 * @property {number} sitePort of the practice site
 * @property {string} host
 * @property {string} requestedDataDir absolute
 * @property {boolean} isTemporary whether the data folder goes at the end
 * @property {string | undefined} postgresUrl a server of the user's own
 * @property {string | undefined} mongodbUri a server of the user's own
 * @property {NodeJS.ProcessEnv} env for the children
 */

const DEFAULT_PORT = '3000';

/**
 * Reads the settings from the environment and from the file `.env` of the checkout. If a setting is in both, the one of
 * the environment counts. Settings that only the backend or the worker uses are validated there.
 * @returns {Settings}
 */
export function readSettings() {
  const file = fromRoot('.env');
  if (existsSync(file)) process.loadEnvFile(file);
  // `NAME=` means "not set".
  for (const [name, value] of Object.entries(process.env))
    if (value === '' && !isForeign(name)) delete process.env[name];
  const { PORT: port = DEFAULT_PORT, HOST: host = '127.0.0.1', TRAWL_DATA_DIR: dataDir = './.trawl' } = process.env;
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_534) {
    throw new Problem(
      `PORT must be a whole number from 1 to 65534 (the practice site uses the next one); it is "${port}".`,
    );
  }
  return {
    port: Number(port),
    sitePort: Number(port) + 1,
    host,
    requestedDataDir: resolve(ROOT, dataDir),
    isTemporary: false,
    postgresUrl: process.env.POSTGRES_URL,
    mongodbUri: process.env.MONGODB_URI,
    env: process.env,
  };
}

/** @param {string} name */
const isForeign = name =>
  !/^(PORT|HOST|TRAWL_|(USER_)?POSTGRES_URL|MONGODB_URI|SITE_|SMTP_URL|CONTACT_EMAIL|REDIS_URL|OTEL_)/.test(name);

/**
 * Returns the address at which this machine can reach the platform.
 * @param {Settings} settings
 */
export function localAddress({ host, port }) {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return httpAddress(host, port);
}

/**
 * @param {string} host a name, an IPv4 address or an IPv6 address
 * @param {number} port
 */
export const httpAddress = (host, port) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
