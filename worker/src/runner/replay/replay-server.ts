import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headerPairs } from '../exchanges/header-pairs.js';
import type { Answer, Replay } from './replay.js';

const NO_BODY = new Set([204, 205, 304]);
const HOUR_MS = 3_600_000;

/** Sends a request to the network; only for replays that may. */
export type Forward = (url: URL, request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

/**
 * Answers the HTTP requests of a run from its record. The server is in the run's own process, and all connections of
 * `replay-network.ts` lead to it: those of `http` to `paths.plain`, and those of `https`, without encryption, to
 * `paths.secure`.
 */
export class ReplayServer {
  readonly paths: { plain: string; secure: string };

  constructor(replay: Replay, forward: Forward | null) {
    const folder =
      process.platform === 'win32' ? `\\\\.\\pipe\\trawl-${process.pid}` : mkdtempSync(join(tmpdir(), 'replay-'));
    this.paths = { plain: join(folder, 'http'), secure: join(folder, 'https') };
    const [plain, secure] = [serve(false, replay, forward), serve(true, replay, forward)];
    // A tunnel through a proxy of the skript: what follows is HTTP again, because `tls.connect` does not encrypt it.
    for (const server of [plain, secure]) {
      server.on('connect', (_request: IncomingMessage, socket: Socket) => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        secure.emit('connection', socket);
      });
    }
    plain.listen(this.paths.plain).unref();
    secure.listen(this.paths.secure).unref();
  }
}

function serve(isSecure: boolean, replay: Replay, forward: Forward | null): Server {
  const options = { keepAliveTimeout: HOUR_MS, requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 1024 * 1024 };
  const server = createServer(options, (request, response) => {
    answer(isSecure, replay, forward, request, response).catch(error => response.destroy(error));
  });
  // The skript's own end of the connection keeps the process alive, as it would without a replay.
  server.on('connection', socket => socket.unref());
  server.on('upgrade', (request, socket) => {
    replay.unsupported(`${urlOf(isSecure, request)} is a WebSocket, and a record has none`);
    socket.destroy();
  });
  return server;
}

async function answer(
  isSecure: boolean,
  replay: Replay,
  forward: Forward | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  const url = urlOf(isSecure, request);
  const { method = 'GET', rawHeaders } = request;
  const found = await replay.answer({ method, url, headers: headerPairs(rawHeaders), body });
  if (found) send(found, request, response);
  else if (forward) forward(new URL(url), request, body, response);
  else response.destroy();
}

/** A request through a proxy of the skript has the whole address in its first line. */
const urlOf = (isSecure: boolean, { url = '/', headers }: IncomingMessage): string =>
  /^https?:\/\//.test(url) ? url : `${isSecure ? 'https' : 'http'}://${headers.host}${url}`;

function send({ head, body }: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (head.status === 0) {
    // The request failed while it was recorded.
    response.destroy();
    return;
  }
  const isEmpty = NO_BODY.has(head.status) || request.method === 'HEAD';
  // Only the answer to HEAD has a length in the record.
  const headers = head.headers.filter(([name]) => isEmpty || name.toLowerCase() !== 'content-length').flat();
  if (!isEmpty) headers.push('content-length', String(body.length));
  if (!head.headers.some(([name]) => name.toLowerCase() === 'date')) response.sendDate = false;
  response.writeHead(head.status, head.status_text || STATUS_CODES[head.status] || '', headers);
  response.end(isEmpty ? undefined : body);
}
