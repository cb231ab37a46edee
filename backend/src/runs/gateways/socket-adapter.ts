import type { IncomingMessage } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { LIVE_NAMESPACE, SHARES, WORKER_NAMESPACE } from '@trawl/contracts';
import proxyAddr from 'proxy-addr';
import { KeyedCounts } from '../../platform/common/shares/keyed-counts.js';
import { SOCKET_PARSER } from './socket-parser.js';

/**
 * Highest number of connections of one address that have not signed in yet. Each may send a part of a frame of 1 MB,
 * which stays in memory. Signing in takes milliseconds, so even a hundred workers behind one address soon get through.
 */
const MAX_SIGNING_IN = SHARES.connectionsSigningIn;
const SIGN_IN_TIMEOUT_MS = 10_000;

/** The type in the version of Socket.IO that Nest uses. */
type Server = ReturnType<IoAdapter['createIOServer']>;
type ServerOptions = Parameters<IoAdapter['createIOServer']>[1];

/** The Socket.IO server of all namespaces. Limits connections that have not signed in to a namespace. */
export class SocketAdapter extends IoAdapter {
  /** The connections of each address that have not signed in. */
  readonly #signingIn = new KeyedCounts();

  constructor(private readonly app: NestExpressApplication) {
    super(app);
  }

  override createIOServer(port: number, options?: ServerOptions): Server {
    const server: Server = super.createIOServer(port, {
      ...options,
      parser: SOCKET_PARSER,
      connectTimeout: SIGN_IN_TIMEOUT_MS,
      allowRequest: (request: IncomingMessage, answer: (error: string | null, isAllowed: boolean) => void) => {
        const count = this.#signingIn.of(this.#addressOf(request));
        if (count < MAX_SIGNING_IN) answer(null, true);
        else answer(`${count} connections of your address have not signed in yet. Try again in a few seconds.`, false);
      },
    } as ServerOptions);
    const leaves = new WeakMap<object, () => void>();
    server.engine.on('connection', (connection: Connection) => {
      const uncount = this.#signingIn.add(this.#addressOf(connection.request));
      const leave = () => {
        if (leaves.delete(connection)) uncount();
      };
      leaves.set(connection, leave);
      // A connection that ignores its closing keeps its part of a frame for another 30 s. So wait for the end of its TCP
      // connection, not of the connection of engine.io.
      connection.request.socket.once('close', leave);
    });
    server.on('new_namespace', namespace => {
      namespace.on('connection', socket => leaves.get(socket.conn)?.());
    });
    server.use((_socket, next) => next(new Error(`Connect to ${LIVE_NAMESPACE} or ${WORKER_NAMESPACE}.`)));
    return server;
  }

  /** The address of the client, also behind trusted proxies. */
  #addressOf(request: IncomingMessage): string {
    return proxyAddr(request, this.app.getHttpAdapter().getInstance().get('trust proxy fn'));
  }
}

/** The part of a connection of engine.io that this file uses. */
interface Connection {
  request: IncomingMessage;
}
