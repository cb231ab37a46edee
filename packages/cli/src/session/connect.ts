import { Trawl } from '@trawl/client';
import type { Context } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { progress } from '../terminal/progress.js';
import { isKey, type Profile, readCredentials } from './credentials.js';
import { fetchAnswer } from './fetch-answer.js';

/** For commands that a person waits for. */
const RETRY_FOR_MS = 5_000;
/** For commands that follow a run, which a restart of the platform must not end. */
export const FOLLOW_FOR_MS = 600_000;

export interface Account extends Omit<Profile, 'username' | 'is_session'> {
  /** Where the key is from. */
  source: string;
}

export const sourceOf = (profile: string): string => `profile ${profile}`;

/** As `findAccount`, with a key that can be sent. Otherwise fetch would refuse it with an error that contains it. */
export async function accountOf(context: Pick<Context, 'profile'>): Promise<Account> {
  const account = await findAccount(context);
  if (isKey(account.key)) return account;
  throw new Failure(
    `The key from ${account.source} is not one: it has spaces, line ends or other letters.`,
    EXIT.usage,
  );
}

/**
 * Finds the account that a command uses. TRAWL_KEY comes first; then the profile of `--profile`, of TRAWL_PROFILE, and
 * the current one.
 */
async function findAccount({ profile }: Pick<Context, 'profile'>): Promise<Account> {
  const { TRAWL_PROFILE } = process.env;
  // Secrets of CI systems often end with a line feed.
  const TRAWL_KEY = process.env.TRAWL_KEY?.trim();
  const TRAWL_URL = process.env.TRAWL_URL?.trim();
  if (TRAWL_KEY && profile === undefined) {
    if (!TRAWL_URL)
      throw new Failure('TRAWL_KEY is set without TRAWL_URL. Set it to the address of Trawl.', EXIT.usage);
    return { url: TRAWL_URL, key: TRAWL_KEY, source: 'TRAWL_URL and TRAWL_KEY' };
  }
  const { current, profiles } = await readCredentials();
  const name = profile ?? (TRAWL_PROFILE || current);
  const found = profiles[name];
  if (!found) {
    const others = Object.keys(profiles);
    const named = profile || TRAWL_PROFILE || others.length > 0 ? ` with the profile ${JSON.stringify(name)}` : '';
    const instead = others.length > 0 ? ` Name another with --profile: ${others.join(', ')}. Or sign` : ' Sign';
    const login = profile === undefined ? 'trawl login' : `trawl login --profile ${profile}`;
    throw new Failure(`You are not signed in${named}.${instead} in with: ${login}`, EXIT.signIn);
  }
  // The key of one platform must not go to another.
  if (TRAWL_URL && originOf(TRAWL_URL) !== originOf(found.url)) {
    throw new Failure(
      `TRAWL_URL is ${TRAWL_URL}, but the profile ${JSON.stringify(name)} is for ${found.url}. Set TRAWL_KEY too, or unset TRAWL_URL.`,
      EXIT.usage,
    );
  }
  return { url: found.url, key: found.key, source: sourceOf(name) };
}

/** @param retryForMs how long calls retry while the platform is unreachable */
export async function connect(context: Context, retryForMs = RETRY_FOR_MS): Promise<Trawl> {
  const { output } = context;
  const { url, key } = await accountOf(context);
  let isFailing = false;
  const fetchVisibly = async (request: Request): Promise<Response> => {
    try {
      // A retry that hangs too must not double the time that a person waits.
      const answer = await visibleFetch(output, isFailing ? retryForMs : undefined)(request);
      isFailing = false;
      return answer;
    } catch (error) {
      if (!isFailing) output.note(`${url} is unreachable. Retrying for ${retryForMs / 1_000} seconds.`);
      isFailing = true;
      throw error;
    }
  };
  try {
    return new Trawl({ url, key, retryForMs, fetch: fetchVisibly });
  } catch (error) {
    throw new Failure((error as Error).message, EXIT.usage);
  }
}

/** Returns a `fetchAnswer` that says what the command waits for if the answer takes long. */
export const visibleFetch =
  (output: Context['output'], limitMs?: number) =>
  (request: Request): Promise<Response> =>
    progress(output, 'Waiting for Trawl', fetchAnswer(request, limitMs));

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);
