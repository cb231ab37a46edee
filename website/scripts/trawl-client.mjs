// Client of a running Trawl, for the scripts that record content of the site.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import PostalMime from 'postal-mime';

const POLL_MS = 100;
const WITHIN_MS = 15_000;

export const TRAWL_URL = process.env.TRAWL_URL ?? 'http://127.0.0.1:3000';
/** Data folder of that Trawl. */
export const DATA_FOLDER = process.env.TRAWL_DATA_DIR ?? fileURLToPath(new URL('../../.trawl', import.meta.url));

/** URL of that Trawl's practice site. */
export const PRACTICE_URL = process.env.PRACTICE_URL ?? `http://127.0.0.1:${Number(new URL(TRAWL_URL).port) + 1}`;

/** Reads an account that the first start created. @returns {Promise<{ username: string, password: string }>} */
export async function accountOf(role) {
  const accounts = JSON.parse(await readFile(`${DATA_FOLDER}/credentials.json`, 'utf8'));
  return accounts.find(account => account.role === role);
}

/** Sends a request; throws for an error response. @returns {Promise<{ status: number, answer: unknown }>} */
export async function send(method, path, { body, csv, zip, token } = {}) {
  const response = await fetch(TRAWL_URL + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(csv !== undefined && { 'content-type': 'text/csv' }),
      ...(zip && { 'content-type': 'application/zip' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? (csv ?? zip) : JSON.stringify(body),
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

/** Signs in to an account that the first start created. `call(method, path, body?)` resolves with the response body. */
export async function signedIn(role) {
  const { username, password } = await accountOf(role);
  const { answer } = await send('POST', '/panel/login', { body: { username, password } });
  const token = answer.jwtToken;
  return { token, call: async (method, path, body) => (await send(method, path, { body, token })).answer };
}

/**
 * Polls `ask` until it returns a truthy value; `what` names it in the timeout error.
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

/** Returns the token of the link e-mailed to an address. Without a mail server, Trawl writes e-mails to files. */
export function tokenInMailTo(address) {
  const folder = join(DATA_FOLDER, 'mail');
  return eventually(`an e-mail to ${address} in ${folder}`, async () => {
    for (const name of await readdir(folder).catch(() => [])) {
      const { to, text } = await PostalMime.parse(await readFile(join(folder, name)));
      if (to?.some(recipient => recipient.address === address)) return /[#?&]token=([\w-]+)/.exec(text ?? '')?.[1];
    }
    return undefined;
  });
}
