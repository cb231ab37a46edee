// @ts-check

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from './api.mjs';

/** @typedef {{ username: string, password: string, role: string }} Account */
/** @typedef {{ id: string, name: string, key: string }} WorkerKey */

/**
 * The accounts that the backend made at its first start, with the passwords they had then.
 * @param {string} dataDir
 * @returns {Account[]} none where the platform's data is on a server that another data folder began
 */
export function readAccounts(dataDir) {
  const file = join(dataDir, 'credentials.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/**
 * Signs in as the first account of that role.
 * @param {import('./api.mjs').Api} api
 * @param {Account[]} accounts
 * @param {string} role
 * @returns {Promise<import('./api.mjs').Api | undefined>} undefined when that is no longer its password
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
 * The key of this machine's own worker, which is made when there is none that the platform knows.
 * @param {import('./api.mjs').Api | undefined} admin
 * @param {string} dataDir
 * @returns {Promise<WorkerKey | undefined>} undefined without a key and without an administrator who could make one
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
    // Another machine's, or one whose key is lost.
    return await admin.post('/joint-api/workers/addnew', {
      name: `local-${randomBytes(2).toString('hex')}`,
      public: true,
    });
  }
}

/**
 * @param {import('./api.mjs').Api} api
 * @param {string} workerId
 * @returns {Promise<string | undefined>} e.g. `online`; undefined when there is no such worker
 */
export async function statusOf(api, workerId) {
  /** @type {{ items: { id: string, status: string }[] }} */
  const { items } = await api.get('/apps/workers/list?limit=1000');
  return items.find(worker => worker.id === workerId)?.status;
}
