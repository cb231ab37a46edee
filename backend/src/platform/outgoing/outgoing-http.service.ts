import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../common/config.js';
import { type GuardedAgents, guardedAgents } from './guarded-agents.js';

export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Time limit for everything: lookup, connection, request and response. */
  timeoutMs: number;
  /** Number of bytes of the response's body to read. The connection is closed after them. */
  maxBytes: number;
}

export interface OutgoingResponse {
  status: number;
  /** The first `maxBytes` bytes of the body; fewer if the time was up. */
  body: Buffer;
  /** Time until the response's headers arrived. */
  durationMs: number;
}

/** Posts to addresses that users choose. It reaches no private network and follows no redirect. */
@Injectable()
export class OutgoingHttp {
  /** For libraries that send requests themselves, such as an S3 client. */
  readonly agents: GuardedAgents;

  constructor(@Inject(CONFIG) private readonly config: Config) {
    this.agents = guardedAgents(config.outgoingAllow);
  }

  /**
   * Says what is wrong with a URL before anything is sent to it; null if nothing is. The connection judges the address
   * again: that of a name is known only then.
   */
  urlProblem(url: string): string | null {
    if (!URL.canParse(url)) return 'must be a URL such as https://receiver.example.com/trawl';
    const { protocol, username, password } = new URL(url);
    if (username || password) return 'must not contain a user name or password; use a secret part of the path';
    if (protocol === 'http:' && this.config.outgoingAllow.length === 0) return 'must begin with https://';
    const refused = this.agents.refusalOf(new URL(url));
    return refused && `must lead to an address that Trawl may call. ${refused.message.replace(/\.$/, '')}`;
  }

  /**
   * Sends a request and returns the response, whatever its status.
   * @throws {RefusedAddress} when the address is refused.
   * @throws {Error} of Node when the lookup, the connection or TLS fails, or when the time is up before there is a
   *   response. Describe it with `describeFailure`.
   */
  async post({ url, headers, body, timeoutMs, maxBytes }: OutgoingRequest): Promise<OutgoingResponse> {
    const started = performance.now();
    const { protocol } = new URL(url);
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { method: 'POST', headers, signal };
    const request =
      protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: this.agents.https })
        : httpRequest(url, { ...options, agent: this.agents.http });
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve);
      // Stays after the first error, because a destroyed request may emit another.
      request.on('error', error => reject(signal.aborted ? new Error(`no response within ${timeoutMs} ms`) : error));
    });
    request.end(body);
    try {
      const answer = await response;
      const durationMs = Math.round(performance.now() - started);
      const first = await firstBytes(answer, maxBytes);
      return { status: answer.statusCode ?? 0, body: first, durationMs };
    } finally {
      request.destroy();
    }
  }
}

/** Reads the first bytes of a body. Returns what has arrived if the body ends early or fails. */
async function firstBytes(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= maxBytes) break;
    }
  } catch {
    // The status has arrived, and it decides. The caller gets the part of the body that came.
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Describes in one line why a request failed, for the account that chose its URL. */
export function describeFailure(error: unknown): string {
  // When several addresses failed, Node's error lists the failures and has an empty message.
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const { message, code, hostname } = first as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'ENOTFOUND' && hostname) return `The name ${hostname} was not found. Check the URL.`;
  return (message || code || String(first)).split('\n')[0]?.slice(0, 500) ?? '';
}
