// A Trawl that is up, for the scripts that record what the site shows.
import { readFile } from 'node:fs/promises';

export const TRAWL_URL = process.env.TRAWL_URL ?? 'http://127.0.0.1:3000';
/** Its data folder. */
export const DATA_FOLDER = process.env.TRAWL_DATA_DIR ?? new URL('../../.trawl', import.meta.url).pathname;

/** Where the practice site of that Trawl is. */
export const PRACTICE_URL = process.env.PRACTICE_URL ?? `http://127.0.0.1:${Number(new URL(TRAWL_URL).port) + 1}`;

/** @returns {Promise<{ username: string, password: string }>} of the account made at the first start */
export async function accountOf(role) {
  const accounts = JSON.parse(await readFile(`${DATA_FOLDER}/credentials.json`, 'utf8'));
  return accounts.find(account => account.role === role);
}

/** Sends one request; an answer that is an error is thrown. @returns {Promise<{ status: number, answer: unknown }>} */
export async function send(method, path, { body, token } = {}) {
  const response = await fetch(TRAWL_URL + path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const isJson = response.headers.get('content-type')?.includes('application/json');
  const answer = isJson ? await response.json() : await response.text();
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
