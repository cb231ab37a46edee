import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import envPaths from 'env-paths';
import { Failure } from '../failure.js';

/** An account at a platform. */
export interface Profile {
  url: string;
  username: string;
  /** API key, or the token of a session. */
  key: string;
  /** Whether `key` is the token of a session, which `logout` ends. */
  is_session: boolean;
}

interface Credentials {
  /** Name of the profile that commands use by default. */
  current: string;
  /** Has no prototype, because a name may be any text: `constructor`, `__proto__`. */
  profiles: Record<string, Profile>;
}

/** Returns whether a text can be an API key or the token of a session. */
export const isKey = (text: unknown): boolean => typeof text === 'string' && /^[\x21-\x7e]+$/.test(text);

export const credentialsPath = (): string => join(envPaths('trawl', { suffix: '' }).config, 'credentials.json');

export async function readCredentials(): Promise<Credentials> {
  const path = credentialsPath();
  let text: string;
  try {
    await checkPrivate(path);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      return { current: 'default', profiles: Object.create(null) };
    throw error;
  }
  try {
    const { current, profiles } = JSON.parse(text) as Credentials;
    return { current, profiles: Object.assign(Object.create(null), profiles) };
  } catch {
    throw new Failure(`${path} is not valid JSON. Delete it, then sign in with: trawl login`);
  }
}

async function checkPrivate(path: string): Promise<void> {
  const { mode } = await stat(path);
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  throw new Failure(`Other users of this computer can read ${path}. Run: chmod 600 ${JSON.stringify(path)}`);
}

/**
 * Adds or replaces a profile. Resolves to the name of the profile that commands use by default: the new one only if
 * there was none.
 */
export async function saveProfile(name: string, profile: Profile): Promise<string> {
  const { current, profiles } = await readCredentials();
  const kept = Object.hasOwn(profiles, current) ? current : name;
  profiles[name] = profile;
  await write({ current: kept, profiles });
  return kept;
}

/**
 * Removes a profile. Resolves to the name of the profile that commands use by default then: another one if it is the
 * only one left.
 */
export async function removeProfile(name: string): Promise<string> {
  const { current, profiles } = await readCredentials();
  delete profiles[name];
  const [first = 'default', ...others] = Object.keys(profiles);
  const next = Object.hasOwn(profiles, current) || others.length > 0 ? current : first;
  await write({ current: next, profiles });
  return next;
}

/** Writes the file under another name first, so that a full disk or a kill leaves the old one. */
async function write(credentials: Credentials): Promise<void> {
  const path = credentialsPath();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}
