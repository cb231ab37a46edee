import robotsParser from 'robots-parser';
import { robotsLines } from './robots-lines.js';

/** Beyond this size the rest of a robots.txt is ignored. RFC 9309 asks for at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 512 * 1024;
const MAX_LINES = 10_000;
const MAX_ORIGINS = 500;
const MAX_CRAWL_DELAY_MS = 60_000;
const KEEP_MS = 24 * 60 * 60 * 1000;
/** How long the client waits before it asks again for a robots.txt that it could not read. */
const KEEP_FAILURE_MS = 60_000;

/** The rule of robots.txt for a URL: a delay between requests, or the reason for not sending the request. */
export type Permission = { delayMs: number } | { refusal: string };

type PermissionFor = (address: URL) => Permission;

interface Origin {
  rules: Promise<PermissionFor>;
  expiresAtMs: number;
}

/** Reads the robots.txt of an origin. Rejects if no server answers. */
type Read = (address: URL) => Promise<{ status: number; text: string }>;

/** The rules of robots.txt for one user agent, as RFC 9309 defines them. It asks each origin once a day. */
export class Robots {
  readonly #origins = new Map<string, Origin>();
  readonly #agent: string;

  constructor(
    private readonly userAgent: string,
    private readonly read: Read,
  ) {
    this.#agent = userAgent.replace(/\/.*/s, '').trim().toLowerCase();
  }

  async permissionFor(address: URL): Promise<Permission> {
    return (await this.#rulesOf(address.origin))(address);
  }

  #rulesOf(name: string): Promise<PermissionFor> {
    const known = this.#origins.get(name);
    this.#origins.delete(name);
    const isFresh = known !== undefined && known.expiresAtMs > Date.now();
    const origin = isFresh ? known : this.#load(new URL('/robots.txt', name));
    const [leastRecent] = this.#origins.keys();
    if (this.#origins.size >= MAX_ORIGINS && leastRecent !== undefined) this.#origins.delete(leastRecent);
    this.#origins.set(name, origin);
    return origin.rules;
  }

  #load(address: URL): Origin {
    const origin: Origin = { rules: this.#read(address), expiresAtMs: Date.now() + KEEP_MS };
    origin.rules = origin.rules.catch((error: Error) => {
      origin.expiresAtMs = Date.now() + KEEP_FAILURE_MS;
      const refusal = `Blocked: ${address} cannot be read: ${error.message}`;
      return () => ({ refusal });
    });
    return origin;
  }

  /** Rejects if the client cannot know the rules. Without a robots.txt, everything is allowed. */
  async #read(address: URL): Promise<PermissionFor> {
    const { status, text } = await this.read(address);
    if (status >= 500 || status === 429) throw new Error(`the server answered ${status}`);
    const lines = status < 300 ? robotsLines(text.split(/\r\n|\r|\n/, MAX_LINES), this.#agent) : [];
    const robots = robotsParser(address.href, lines.join('\n'));
    const delayMs = Math.min(Math.max((robots.getCrawlDelay(this.#agent) ?? 0) * 1000, 0), MAX_CRAWL_DELAY_MS);
    const refusal = `Blocked: ${address} disallows this URL for ${this.userAgent}`;
    return ({ href }) => (robots.isDisallowed(href, this.#agent) ? { refusal } : { delayMs });
  }
}
