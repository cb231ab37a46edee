import { PROXY_COUNTRY, PROXY_LIMITS } from '@trawl/contracts';

const PORTS = new Map([
  ['http:', '80'],
  ['https:', '443'],
  ['socks5:', '1080'],
]);
const HOST = /^([a-z0-9]([a-z0-9._-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])$/;
/** SOCKS 5 has one byte for the length of each. */
const MAX_CREDENTIAL_BYTES = 255;
const EXPECTED = 'http://, https:// or socks5://, then user:password@ if needed, then host:port';

/**
 * SQL: whether runs can use the proxy with this address. Pools may have proxies of other schemes, or with port 0, from before
 * Trawl refused them.
 */
export const IS_USABLE = `(address ~ '^(https?|socks5)://' AND address !~ ':0$')`;

export interface ParsedProxy {
  /** With user name, password and port. */
  url: string;
  /** The URL without user name and password. */
  address: string;
  country: string | null;
  tier: number;
}

/** Says what is wrong with a line. Its message never has the line, which may have a password. */
export class ProxyLineError extends Error {}

/**
 * Reads a list of proxies: a URL in each line, then tags such as `country=de tier=2`. Leaves out empty lines and those that
 * begin with `#`. The last of several lines with the same URL counts.
 *
 * @throws {ProxyLineError} naming the line
 */
export function readProxyLines(text: string): ParsedProxy[] {
  const proxies = new Map<string, ParsedProxy>();
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0]?.startsWith('#')) continue;
    const proxy = readLine(words as [string, ...string[]], index + 1);
    proxies.set(proxy.url, proxy);
    if (proxies.size > PROXY_LIMITS.addedAtOnce) {
      throw new ProxyLineError(`A call can add ${PROXY_LIMITS.addedAtOnce} proxies; the list has more. Split it.`);
    }
  }
  return [...proxies.values()];
}

function readLine([first, ...tags]: [string, ...string[]], line: number): ParsedProxy {
  const proxy = { ...readUrl(first, line), country: null as string | null, tier: 1 };
  for (const tag of tags) {
    const [name, value = ''] = tag.split('=', 2);
    const { min, max } = PROXY_LIMITS.tiers;
    if (name === 'country') {
      proxy.country = value.toLowerCase();
      if (!PROXY_COUNTRY.test(proxy.country)) throw at(line, 'country must be two letters, such as country=de');
    } else if (name === 'tier') {
      proxy.tier = Number(value);
      if (!Number.isInteger(proxy.tier) || proxy.tier < min || proxy.tier > max) {
        throw at(line, `tier must be a whole number between ${min} and ${max}`);
      }
    } else throw at(line, 'only the tags country=… and tier=… may follow the address');
  }
  return proxy;
}

function readUrl(text: string, line: number): Pick<ParsedProxy, 'url' | 'address'> {
  if (text.length > PROXY_LIMITS.urlChars)
    throw at(line, `the address has more than ${PROXY_LIMITS.urlChars} characters`);
  if (!URL.canParse(text)) throw at(line, `expected ${EXPECTED}`);
  const { protocol, username, password, hostname, port: given, pathname, search, hash } = new URL(text);
  const usual = PORTS.get(protocol);
  const host = hostname.toLowerCase();
  if (!usual || !HOST.test(host)) throw at(line, `expected ${EXPECTED}`);
  const port = given || usual;
  if (port === '0') throw at(line, 'the port must be between 1 and 65535');
  if (!['', '/'].includes(pathname) || search || hash) throw at(line, 'nothing may follow the port of the address');
  for (const credential of [username, password]) checkCredential(credential, line);
  const credentials = username || password ? `${username}:${password}@` : '';
  return { url: `${protocol}//${credentials}${host}:${port}`, address: `${protocol}//${host}:${port}` };
}

function checkCredential(encoded: string, line: number): void {
  let decoded: string;
  try {
    decoded = decodeURIComponent(encoded);
  } catch {
    throw at(line, 'write a percent sign in the user name or password as %25');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that are refused
  if (/[\u0000-\u001f\u007f]/.test(decoded)) throw at(line, 'user name and password must not have control characters');
  if (Buffer.byteLength(decoded) > MAX_CREDENTIAL_BYTES) {
    throw at(line, `user name and password must each have at most ${MAX_CREDENTIAL_BYTES} bytes`);
  }
}

const at = (line: number, problem: string): ProxyLineError => new ProxyLineError(`Line ${line}: ${problem}.`);
