// @ts-check

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from './api.mjs';

/** @typedef {{ username: string, password: string, role: string }} Account */
/** @typedef {{ id: string, name: string, key: string }} WorkerKey */

/**
 * Reads the accounts that the backend created at its first start, with their first passwords.
 * @param {string} dataDir
 * @returns {Account[]} empty if the platform's databases were first used with another data folder
 */
export function readAccounts(dataDir) {
  const file = join(dataDir, 'credentials.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/**
 * Signs in with the first of the accounts that has this role.
 * @param {import('./api.mjs').Api} api
 * @param {Account[]} accounts
 * @param {string} role
 * @returns {Promise<import('./api.mjs').Api | undefined>} undefined if there is no such account, or its password was
 *   changed
 */
export async function signIn(api, accounts, role) {
  const account = accounts.find(candidate => candidate.role === role);
  if (!account) return undefined;
  try {
    return await api.login(account);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

/**
 * Returns the key of this machine's own worker, and creates the worker if the platform does not know it.
 * @param {import('./api.mjs').Api | undefined} admin
 * @param {string} dataDir
 * @returns {Promise<WorkerKey | undefined>} undefined if there is neither a key nor an administrator who could create
 *   one
 */
export async function localWorkerKey(admin, dataDir) {
  const file = join(dataDir, 'worker', 'key.json');
  /** @type {WorkerKey | undefined} */
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  if (!admin || (kept && (await statusOf(admin, kept.id)) !== undefined)) return kept;
  const { id, name, key } = await makeWorker(admin);
  mkdirSync(join(dataDir, 'worker'), { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  writeFileSync(file, `${JSON.stringify({ id, name, key })}\n`, { mode: 0o600 });
  return { id, name, key };
}

/**
 * @param {import('./api.mjs').Api} admin
 * @returns {Promise<WorkerKey>}
 */
async function makeWorker(admin) {
  try {
    return await admin.post('/joint-api/workers/addnew', { name: 'local', public: true });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    // The name `local` is taken, by another machine's worker or by a worker whose key is lost. So use another name.
    return await admin.post('/joint-api/workers/addnew', {
      name: `local-${randomBytes(2).toString('hex')}`,
      public: true,
    });
  }
}

/**
 * @param {import('./api.mjs').Api} api
 * @param {string} workerId
 * @returns {Promise<string | undefined>} e.g. `online`; undefined if there is no such worker
 */
export async function statusOf(api, workerId) {
  /** @type {{ items: { id: string, status: string }[] }} */
  const { items } = await api.get('/apps/workers/list?limit=1000');
  return items.find(worker => worker.id === workerId)?.status;
}
