import { Trawl, TrawlError, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { visibleFetch } from '../../session/connect.js';
import { credentialsPath, isKey, readCredentials, saveProfile } from '../../session/credentials.js';
import { askSecret, askText } from '../../terminal/ask.js';
import { readStdin } from '../../terminal/read-stdin.js';

export interface LoginOptions {
  url?: string;
  username?: string;
  /** Read the password from stdin. */
  passwordStdin?: boolean;
  /** Read an API key from stdin instead. */
  keyStdin?: boolean;
}

const DEFAULT_URL = 'http://localhost:3000';

/** Signs in and keeps the session, or keeps an API key. */
export default async function login(options: LoginOptions, context: Context): Promise<void> {
  const { output } = context;
  const { current, profiles } = await readCredentials();
  const name = context.profile ?? (process.env.TRAWL_PROFILE || current);
  const known = profiles[name];
  const suggested = process.env.TRAWL_URL || known?.url || DEFAULT_URL;
  const url = originOf(options.url ?? process.env.TRAWL_URL ?? (await askUrl(suggested)));
  warnOfPlainHttp(url, output);
  const { username, key } = options.keyStdin
    ? await checkKey(url, (await readStdin()).trim(), output)
    : await signIn(url, options, output, known?.username);
  const byDefault = await saveProfile(name, { url, username, key, is_session: !options.keyStdin });
  output.note(`Saved the ${options.keyStdin ? 'key' : 'session'} in ${credentialsPath()}.`);
  if (byDefault !== name) {
    output.note(`Commands use it with --profile ${name} or TRAWL_PROFILE=${name}, and ${byDefault} otherwise.`);
  }
  output.result({ profile: name, url, username }, `Signed in to ${url} as ${username}`);
}

const askUrl = (suggested: string) => askText('Address of Trawl', 'Give it with --url.', suggested);

async function signIn(
  url: string,
  options: LoginOptions,
  output: Context['output'],
  known?: string,
): Promise<{ username: string; key: string }> {
  const username = options.username ?? (await askText('Username', 'Give it with --username.', known));
  const password = options.passwordStdin
    ? (await readStdin()).replace(/\r?\n$/, '')
    : await askSecret('Password', 'Give it with --password-stdin.');
  // Signing in needs no key, but each client has one.
  const { api } = new Trawl({ url, key: 'none', retryForMs: 0, fetch: visibleFetch(output) });
  const answer = await unwrap(api.POST('/panel/login', { body: { username, password } })).catch(error => {
    if (error instanceof TrawlError && error.code === 'bad_login')
      throw new Failure('Wrong username or password.', EXIT.signIn);
    throw error;
  });
  return { username: answer.loggedUser.username, key: answer.jwtToken };
}

async function checkKey(
  url: string,
  key: string,
  output: Context['output'],
): Promise<{ username: string; key: string }> {
  if (!isKey(key)) throw new Failure('stdin has no API key. Example: trawl login --key-stdin < key.txt', EXIT.usage);
  const { api } = new Trawl({ url, key, retryForMs: 0, fetch: visibleFetch(output) });
  const { username } = await unwrap(api.GET('/joint-api/account'));
  return { username, key };
}

function originOf(address: string): string {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(address);
  const text = address.includes('://') ? address : `${isLocal ? 'http' : 'https'}://${address}`;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href.replace(/\/+$/, '');
  throw new Failure(
    `${JSON.stringify(address)} is not an address. Expected one such as https://trawl.example.com.`,
    EXIT.usage,
  );
}

function warnOfPlainHttp(url: string, output: Context['output']): void {
  const { protocol, hostname: host } = new URL(url);
  const isLocal = host === 'localhost' || host.startsWith('127.') || host === '[::1]';
  if (protocol === 'http:' && !isLocal) {
    output.warn(`${url} is not encrypted, so others on the way can read your password. Use https.`);
  }
}
