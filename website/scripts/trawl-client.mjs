// A Trawl that is up, for the scripts that record what the site shows.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const POLL_MS = 100;
const WITHIN_MS = 15_000;

export const TRAWL_URL = process.env.TRAWL_URL ?? 'http://127.0.0.1:3000';
/** Its data folder. */
export const DATA_FOLDER = process.env.TRAWL_DATA_DIR ?? fileURLToPath(new URL('../../.trawl', import.meta.url));

/** Where the practice site of that Trawl is. */
export const PRACTICE_URL = process.env.PRACTICE_URL ?? `http://127.0.0.1:${Number(new URL(TRAWL_URL).port) + 1}`;

/** @returns {Promise<{ username: string, password: string }>} of the account made at the first start */
export async function accountOf(role) {
  const accounts = JSON.parse(await readFile(`${DATA_FOLDER}/credentials.json`, 'utf8'));
  return accounts.find(account => account.role === role);
}

/** Sends one request; an answer that is an error is thrown. @returns {Promise<{ status: number, answer: unknown }>} */
export async function send(method, path, { body, zip, token } = {}) {
  const response = await fetch(TRAWL_URL + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(zip && { 'content-type': 'application/zip' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? zip : JSON.stringify(body),
  });
  const type = response.headers.get('content-type') ?? '';
  const answer = type.includes('application/json')
    ? await response.json()
    : type === 'application/zip'
      ? Buffer.from(await response.arrayBuffer())
      : await response.text();
  if (!response.ok) {
    throw new Error(`${method} ${path} answered ${response.status}: ${answer.error_message ?? answer}`);
  }
  return { status: response.status, answer };
}

/** Signed in as one of the accounts of the first start: `call(method, path, body?)` gives the answer. */
export async function signedIn(role) {
  const { username, password } = await accountOf(role);
  const { answer } = await send('POST', '/panel/login', { body: { username, password } });
  const token = answer.jwtToken;
  return { token, call: async (method, path, body) => (await send(method, path, { body, token })).answer };
}

/**
 * Asks until the answer is something; `what` names it when it does not come in time.
 * @template T
 * @param {string} what
 * @param {() => Promise<T | undefined | false>} ask
 * @returns {Promise<T>}
 */
export async function eventually(what, ask) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`${what} did not come within ${WITHIN_MS / 1000} s`);
    await delay(POLL_MS);
  }
}
