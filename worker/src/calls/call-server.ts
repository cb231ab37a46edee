import { createHash, timingSafeEqual } from 'node:crypto';
import { on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { IDEMPOTENCY_KEY_PATTERN, isJsonNestedDeeper, LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import * as z from 'zod';
import { CallRefused, type StartCall, type StartCalls, shutsDown, unavailable } from './start-calls.js';

const PATH = '/execute-skript/start';
/**
 * Maximum size of a call's body: room for an input and an input secret of maximum size, and for the JSON around them.
 */
const MAX_BODY_BYTES = 2 * LIMITS.inputBytes + 16 * 1024;
const MAX_CALLS = 256;
const RECEIVE_MS = 30_000;
const IDLE_MS = 5_000;

const isUndefined = (value: unknown): boolean => value === undefined;
const id = z.uuid({ error: 'expected an id' });
const { min, max } = LIMITS.timeLimitMs;

const bodySchema = z
  .strictObject({
    skript_id: id,
    input: z.unknown().optional(),
    inputSecret: z.unknown().optional(),
    input_id: id.optional(),
    inputSecret_id: id.optional(),
    force: z.boolean().optional(),
    timeout_ms: z.int().min(min).max(max).optional(),
  })
  .refine(
    ({ input, inputSecret, input_id, inputSecret_id }) =>
      [input, inputSecret].every(isUndefined) || [input_id, inputSecret_id].every(isUndefined),
    {
      error: 'expected values (input, inputSecret) or ids of stored ones (input_id, inputSecret_id), not both',
    },
  );

export interface CallServerOptions {
  host: string;
  port: number;
  /** The only key that callers can use; the worker's own key does not work. */
  key: string;
  starts: StartCalls;
  log: Logger;
}

/**
 * Serves `POST /execute-skript/start` on the worker itself: starts a skript on this worker, waits until its run ends,
 * and responds with the value that main.js returned, as JSON. If the caller disconnects, the run continues.
 */
export class CallServer {
  readonly #options: CallServerOptions;
  readonly #keyHash: Buffer;
  readonly #server: Server;
  /**
   * The open calls. The key is aborted when the worker shuts down or the caller disconnects. The promise resolves when
   * the response has ended.
   */
  readonly #calls = new Map<AbortController, Promise<void>>();

  constructor(options: CallServerOptions) {
    this.#options = options;
    this.#keyHash = sha256(options.key);
    this.#server = createServer(
      {
        requestTimeout: RECEIVE_MS,
        headersTimeout: RECEIVE_MS,
        keepAliveTimeout: IDLE_MS,
        connectionsCheckingInterval: IDLE_MS,
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = 2 * MAX_CALLS;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** @throws Error when the server cannot listen on the address */
  async open(): Promise<void> {
    const { host, port, log } = this.#options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    log.info({ host, port: this.port }, 'listening for calls');
  }

  /** Refuses further calls, and responds to the calls that wait for a run. The runs themselves are not ended here. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const call of this.#calls.keys()) call.abort();
    await Promise.all(this.#calls.values());
    // Close the connections that have sent nothing: the server does not count them as idle and would wait for them.
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = new AbortController();
    const over = () => {
      call.abort();
      this.#calls.delete(call);
    };
    this.#calls.set(call, new Promise<void>(resolve => response.once('close', resolve)).then(over));
    try {
      const start = await this.#read(request, call.signal);
      answer(response, 200, await this.#options.starts.run(start, call.signal), {});
    } catch (error) {
      const refused = error instanceof CallRefused ? error : UNEXPECTED;
      if (refused === UNEXPECTED) this.#options.log.error({ err: error }, 'failed to answer a call');
      answer(response, refused.status, JSON.stringify(refused.body), refused.headers);
    }
  }

  /** @throws CallRefused for an invalid call, before its body is read if possible */
  async #read(request: IncomingMessage, signal: AbortSignal): Promise<StartCall> {
    if (request.url?.split('?')[0] !== PATH)
      throw new CallRefused(404, 'not_found', `Not found. This server has only POST ${PATH}.`);
    if (request.method !== 'POST') {
      throw new CallRefused(405, 'bad_request', `${PATH} accepts only POST.`, { headers: { allow: 'POST' } });
    }
    if (!this.#isAllowed(request.headers.authorization)) {
      throw new CallRefused(
        401,
        'unauthorized',
        'Send the call key of this worker in the header Authorization: Bearer ….',
        {
          headers: { 'www-authenticate': 'Bearer' },
        },
      );
    }
    if (!this.#server.listening) throw shutsDown();
    if (this.#calls.size > MAX_CALLS) {
      throw unavailable(`The worker is handling ${MAX_CALLS} calls, its maximum. Try again in a few seconds.`);
    }
    const idempotencyKey = keyOf(request);
    const parsed = bodySchema.safeParse(jsonOf(await bytesOf(request, signal)));
    if (parsed.success) return { ...parsed.data, idempotencyKey };
    const problems = parsed.error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    throw new CallRefused(400, 'validation_failed', problems.join('; '));
  }

  /** Checks the caller's key. Compares digests, so that the time of the comparison reveals nothing about the key. */
  #isAllowed(header = ''): boolean {
    const [scheme = '', ...key] = header.split(' ');
    return timingSafeEqual(sha256(key.join(' ')), this.#keyHash) && scheme.toLowerCase() === 'bearer';
  }
}

const UNEXPECTED = new CallRefused(500, 'internal_error', 'The worker could not answer. See its log.');

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** @throws CallRefused for a key that the platform would refuse */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key']?.toString();
  if (key === undefined || IDEMPOTENCY_KEY_PATTERN.test(key)) return key;
  throw new CallRefused(400, 'validation_failed', 'Idempotency-Key must be 1 to 200 visible ASCII characters.');
}

async function bytesOf(request: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const tooLarge = new CallRefused(
    413,
    'payload_too_large',
    `The body of a call may have at most ${MAX_BODY_BYTES} bytes.`,
  );
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // Do not use the request's own iterator: to leave that loop early would close the connection before the response is
    // sent.
    for await (const [part] of on(request, 'data', { signal, close: ['end', 'close'] }) as AsyncIterable<[Buffer]>) {
      bytes += part.length;
      if (bytes > MAX_BODY_BYTES) throw tooLarge;
      parts.push(part);
    }
  } catch (error) {
    throw signal.aborted ? shutsDown() : error;
  }
  return Buffer.concat(parts);
}

/** @throws CallRefused when the body is not JSON, or too deeply nested to be serialised again */
function jsonOf(body: Buffer): unknown {
  if (isJsonNestedDeeper(body, LIMITS.bodyDepth)) {
    const why = `The body is nested too deeply: the limit is ${LIMITS.bodyDepth} levels.`;
    throw new CallRefused(400, 'bad_request', why);
  }
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new CallRefused(
      400,
      'invalid_json',
      'The body is not valid JSON. Expected { "skript_id": "…", "input": … }.',
    );
  }
}

function answer(response: ServerResponse, status: number, json: string, headers: Record<string, string>): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(json);
}
