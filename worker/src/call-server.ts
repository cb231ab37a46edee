import { createHash, timingSafeEqual } from 'node:crypto';
import { on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { IDEMPOTENCY_KEY_PATTERN, isJsonNestedDeeper, LIMITS } from '@trawl/contracts';
import type { Logger } from 'pino';
import { z } from 'zod';
import { CallRefused, type StartCall, type StartCalls, shutsDown, unavailable } from './start-calls.js';

const PATH = '/execute-skript/start';
/** An input and an input secret, as large as they may be, and what stands around them. */
const MAX_BODY_BYTES = 2 * LIMITS.inputBytes + 16 * 1024;
const MAX_CALLS = 256;
const RECEIVE_MS = 30_000;
const IDLE_MS = 5_000;

const isUndefined = (value: unknown): boolean => value === undefined;
const id = z.uuid({ error: 'expected an id' });
const { min, max } = LIMITS.workerResponseTimeoutMs;

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
  /** What callers show; nothing else is taken, the worker's own key least of all. */
  key: string;
  starts: StartCalls;
  log: Logger;
}

/**
 * `POST /execute-skript/start` on the worker itself: starts a skript on this worker, waits for its end, and answers what
 * main.js returned, as JSON. Whoever leaves meanwhile stops waiting; the run goes on.
 */
export class CallServer {
  readonly #options: CallServerOptions;
  readonly #keyHash: Buffer;
  readonly #server: Server;
  /** Each with the moment when its answer is out; aborted when the worker shuts down, or nobody waits for it any more. */
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

  /** @throws Error when the address cannot be had. */
  async open(): Promise<void> {
    const { host, port, log } = this.#options;
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    log.info({ host, port: this.port }, 'calls are taken');
  }

  /** Takes no more calls, and answers those that wait: their runs go on or end with the worker. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const call of this.#calls.keys()) call.abort();
    await Promise.all(this.#calls.values());
    // Also those that have sent nothing yet: to the server they are not idle, and it would wait for them.
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
      if (refused === UNEXPECTED) this.#options.log.error({ err: error }, 'a call could not be answered');
      answer(response, refused.status, JSON.stringify(refused.body), refused.headers);
    }
  }

  /** @throws CallRefused for what is no call, before any of its body is read where that is known before. */
  async #read(request: IncomingMessage, signal: AbortSignal): Promise<StartCall> {
    if (request.url?.split('?')[0] !== PATH)
      throw new CallRefused(404, 'not_found', `There is only POST ${PATH} here.`);
    if (request.method !== 'POST') {
      throw new CallRefused(405, 'bad_request', `${PATH} takes POST only.`, { headers: { allow: 'POST' } });
    }
    if (!this.#isAllowed(request.headers.authorization)) {
      throw new CallRefused(401, 'unauthorized', 'Send the call key of this worker as Authorization: Bearer ….', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    if (!this.#server.listening || this.#calls.size > MAX_CALLS) {
      throw unavailable(`The worker takes no more calls now: ${MAX_CALLS} at a time, and none while it shuts down.`);
    }
    const idempotencyKey = keyOf(request);
    const parsed = bodySchema.safeParse(jsonOf(await bytesOf(request, signal)));
    if (parsed.success) return { ...parsed.data, idempotencyKey };
    const problems = parsed.error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    throw new CallRefused(400, 'validation_failed', problems.join('; '));
  }

  /** Digests are compared, which are of one length and tell nothing of the key by the time that it takes. */
  #isAllowed(header = ''): boolean {
    const [scheme = '', ...key] = header.split(' ');
    return timingSafeEqual(sha256(key.join(' ')), this.#keyHash) && scheme.toLowerCase() === 'bearer';
  }
}

const UNEXPECTED = new CallRefused(500, 'internal_error', 'The worker could not answer; its log says more.');

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** @throws CallRefused for one that the platform would refuse. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key']?.toString();
  if (key === undefined || IDEMPOTENCY_KEY_PATTERN.test(key)) return key;
  throw new CallRefused(400, 'validation_failed', 'Idempotency-Key must be 1 to 200 visible ASCII characters.');
}

async function bytesOf(request: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const tooLarge = new CallRefused(413, 'payload_too_large', `A call may have ${MAX_BODY_BYTES} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge;
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    // Not the request's own iterator: that ends the connection when it is left early, and with it the answer.
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

/** @throws CallRefused also for what is nested too deeply to be written again, in the platform's words. */
function jsonOf(body: Buffer): unknown {
  if (isJsonNestedDeeper(body, LIMITS.bodyLevels)) {
    const why = `A value in the body is nested more than ${LIMITS.bodyLevels} levels deep.`;
    throw new CallRefused(400, 'bad_request', why);
  }
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new CallRefused(400, 'invalid_json', 'The body is no JSON. Expected { "skript_id": "…", "input": … }.');
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
