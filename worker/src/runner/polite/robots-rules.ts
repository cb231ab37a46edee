import { POLITE_LIMITS } from '@trawl/contracts';
import { robotsLines } from '@trawl/httpclient/robots-lines';
import robotsParser from 'robots-parser';

/** Its types name an export `default`, which the CommonJS module does not have. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** The name by which robots.txt may name polite runs. */
const AGENT = 'Trawl';
/** RFC 9309 asks to read so much of a robots.txt. */
const MAX_BYTES = 500 * 1024;
const MAX_REDIRECTS = 5;
const LOAD_MS = 10_000;

/** A rule of robots.txt that disallows a URL. */
export interface Disallowed {
  line: number;
  /** The line, such as `Disallow: /private`. */
  text: string;
}

/** The rules for polite runs in the robots.txt of a domain. */
export interface RobotsRules {
  /** Time between requests that it asks for, in ms; 0 if it asks for none. */
  crawlDelayMs: number;
  disallowed(url: URL): Disallowed | null;
}

const ALL_ALLOWED: RobotsRules = { crawlDelayMs: 0, disallowed: () => null };

/** Returns the rules in the text of a robots.txt. */
export function rulesIn(text: string, origin: string): RobotsRules {
  const lines = robotsLines(text.split(/\r\n|\r|\n/), AGENT.toLowerCase());
  const robots = parseRobots(`${origin}/robots.txt`, lines.join('\n'));
  const seconds = robots.getCrawlDelay(AGENT) ?? 0;
  return {
    crawlDelayMs: seconds > 0 ? Math.min(seconds * 1_000, POLITE_LIMITS.maxCrawlDelayMs) : 0,
    disallowed: ({ pathname, search }) => {
      if (pathname === '/robots.txt') return null;
      const url = `${origin}${pathname}${search}`;
      if (robots.isAllowed(url, AGENT) !== false) return null;
      const line = robots.getMatchingLineNumber(url, AGENT);
      return { line, text: (lines[line - 1] ?? '').trim() };
    },
  };
}

/**
 * Loads the rules of an origin. A robots.txt that the site does not have, or that cannot be read, allows all.
 *
 * @param begin is called with the URL of each request before it is sent
 * @returns the rules, and the reason why robots.txt could not be read
 */
export async function loadRules(
  origin: string,
  begin: (url: string) => void,
): Promise<{ rules: RobotsRules; problem: string | null }> {
  try {
    const text = await readRobots(new URL('/robots.txt', origin), begin, AbortSignal.timeout(LOAD_MS));
    return { rules: text === null ? ALL_ALLOWED : rulesIn(text, origin), problem: null };
  } catch (error) {
    const { message, cause, name } = error as Error;
    const problem = name === 'TimeoutError' ? `it took longer than ${LOAD_MS / 1_000} s` : message;
    return { rules: ALL_ALLOWED, problem: cause instanceof Error ? cause.message || problem : problem };
  }
}

/** Returns the begin of the text; null if the site has no robots.txt. */
async function readRobots(first: URL, begin: (url: string) => void, signal: AbortSignal): Promise<string | null> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    begin(url.href);
    const response = await fetch(url, { redirect: 'manual', signal });
    const { status } = response;
    const location = status >= 300 && status < 400 ? response.headers.get('location') : null;
    if (status === 200) return beginOf(response);
    await response.body?.cancel();
    if (location === null) {
      if (status >= 500 || status === 429) throw new Error(`it answered ${status}`);
      return null;
    }
    url = new URL(location, url);
  }
  throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
}

async function beginOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the download.
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MAX_BYTES) break;
  }
  const text = Buffer.concat(pieces).subarray(0, MAX_BYTES).toString();
  // A line that is cut may say something else.
  return bytes < MAX_BYTES ? text : text.slice(0, text.lastIndexOf('\n') + 1);
}
