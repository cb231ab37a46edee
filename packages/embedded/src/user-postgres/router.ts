import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { CappedLog } from '../host/capped-log.js';
import { SUPERUSER } from '../postgres/init-database.js';
import type { Cluster } from './cluster.js';
import { CLUSTER_NAME } from './cluster-options.js';
import { type ControlOptions, serveControl } from './control-session.js';
import { cancelMessage, errorField, errorMessage, MessageReader, readFirstMessage, startupMessage } from './wire.js';

/** Database of the superuser that is served by the host itself. */
export const CONTROL_DATABASE = 'trawl';
const FIRST_MESSAGE_MS = 10_000;
/** Connections that have not said yet where to. */
const MAX_NEW = 200;
const MAX_CONNECTIONS = 4_000;
/** A server answers to a login with a few small messages. */
const MAX_LOGIN_BYTES = 1024 * 1024;
/** How long a connection waits for a server that recovers from a crash. */
const RECOVERY_MS = 30_000;
const RECOVERY_LOOK_MS = 50;
const CANNOT_CONNECT_NOW = '57P03';
/**
 * When a client is gone, PostgreSQL ends its session within `client_connection_check_interval`. Some functions written in
 * C ignore that for as long as they run. After this time the host kills the session, and its server recovers.
 */
const LOST_SESSION_MS = 10_000;

export interface RouterOptions extends ControlOptions {
  log: CappedLog;
  /** How long a session may run after its client is gone. */
  lostSessionMs?: number | undefined;
}

/**
 * Accepts connections for the servers of all accounts. The first message names the database, which decides the server:
 * `u_…` is the database of this name on the server of this account, `u_….postgres` another database of the same server.
 * The server itself checks the password.
 */
export class Router {
  readonly #server: Server;
  /** Connections that have not said yet where to. */
  #new = 0;
  /** Servers of sessions by their key, with which a client cancels what its session does. */
  readonly #keys = new Map<string, Cluster>();
  readonly #sockets = new Set<Socket>();

  constructor(private readonly options: RouterOptions) {
    this.#server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000, allowHalfOpen: true });
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('connection', client => this.#accept(client));
  }

  async listen(port: number, host: string): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
  }

  /** Accepts no more connections, and breaks those that are open. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(client: Socket): void {
    client.on('error', () => {});
    this.#sockets.add(client);
    client.on('close', () => this.#sockets.delete(client));
    if (this.#new >= MAX_NEW) {
      client.destroy();
      return;
    }
    this.#new += 1;
    let isKnown = false;
    const known = () => {
      if (!isKnown) this.#new -= 1;
      isKnown = true;
      clearTimeout(deadline);
    };
    const deadline = setTimeout(() => client.destroy(), FIRST_MESSAGE_MS);
    client.on('close', known);

    let received = Buffer.alloc(0);
    let wishes = 0;
    const read = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const first = readFirstMessage(received);
        if (first.kind === 'incomplete') return;
        if (first.kind === 'encryption' && wishes < 2) {
          wishes += 1;
          received = received.subarray(first.bytes);
          client.write('N');
          continue;
        }
        client.off('data', read);
        client.off('end', ended);
        client.pause();
        known();
        if (first.kind === 'startup') {
          void this.#route(client, first.version, first.params, received.subarray(first.bytes));
        } else if (first.kind === 'cancel') {
          this.#cancel(first.key);
          client.end();
        } else {
          refuse(client, '08P01', first.kind === 'invalid' ? first.reason : 'too many requests for encryption');
        }
        return;
      }
    };
    const ended = () => client.end();
    client.on('data', read);
    client.on('end', ended);
  }

  async #route(client: Socket, version: number, params: Map<string, string>, rest: Buffer): Promise<void> {
    const user = params.get('user') ?? '';
    const asked = params.get('database') || user;
    const isSuperuser = user === SUPERUSER;
    if (params.has('replication')) return refuse(client, '0A000', 'replication is not available');
    if (!isSuperuser && !CLUSTER_NAME.test(user)) return refuse(client, '28000', 'this role does not exist');
    if (isSuperuser && asked === CONTROL_DATABASE) return serveControl(client, rest, this.options);
    const [name = '', database = name] = asked.split('.', 2);
    if (!isSuperuser && asked !== user) return refuse(client, '42501', 'a role can connect to its own database only');
    let cluster: Cluster | undefined;
    try {
      cluster = await this.options.clusters.find(name);
      if (!cluster) return refuse(client, '3D000', 'this database does not exist');
      // From here on the server stays awake.
      cluster.connections += 1;
      await this.#pass(client, cluster, startupMessage(version, new Map(params).set('database', database)), rest);
    } catch (error) {
      this.options.log.write(`The server of ${name} cannot be reached: ${(error as Error).message}\n`);
      refuse(client, CANNOT_CONNECT_NOW, 'the server of this account cannot start');
    } finally {
      if (cluster) {
        cluster.connections -= 1;
        cluster.idleSince = performance.now();
      }
    }
  }

  /** Connects a client with a server until both have ended. */
  async #pass(client: Socket, cluster: Cluster, startup: Buffer, rest: Buffer): Promise<void> {
    const deadline = performance.now() + RECOVERY_MS;
    for (;;) {
      await cluster.wake();
      if (client.destroyed) return;
      const upstream = await this.#connect(cluster);
      if (!upstream) {
        if (performance.now() > deadline) throw new Error('no connection');
        await delay(RECOVERY_LOOK_MS);
        continue;
      }
      const ended = this.#join(client, upstream, cluster, startup, rest, performance.now() < deadline);
      if ((await ended) === 'ended') return;
      await delay(RECOVERY_LOOK_MS);
    }
  }

  async #connect(cluster: Cluster): Promise<Socket | undefined> {
    const upstream = connect({ path: cluster.socketPath, allowHalfOpen: true });
    upstream.on('error', () => {});
    this.#sockets.add(upstream);
    upstream.on('close', () => this.#sockets.delete(upstream));
    await once(upstream, 'connect').catch(() => {});
    return upstream.destroyed || upstream.readyState !== 'open' ? undefined : upstream;
  }

  /** Resolves to `recovering` if the server does not accept connections yet. The client has then received nothing. */
  #join(
    client: Socket,
    upstream: Socket,
    cluster: Cluster,
    startup: Buffer,
    rest: Buffer,
    mayWait: boolean,
  ): Promise<'ended' | 'recovering'> {
    return new Promise(resolve => {
      const reader = new MessageReader(MAX_LOGIN_BYTES);
      let key: string | undefined;
      let lost: NodeJS.Timeout | undefined;
      let isRecovering = false;
      let isFirst = true;

      /** The client is gone: end the session, and watch that it ends. */
      const clientGone = () => {
        upstream.unpipe(client);
        upstream.resume();
        upstream.end();
        lost ??= setTimeout(
          () => this.#endLostSession(cluster, key, upstream),
          this.options.lostSessionMs ?? LOST_SESSION_MS,
        );
      };
      const login = (chunk: Buffer) => {
        try {
          for (const { type, body } of reader.push(chunk)) {
            if (type === 'E' && isFirst && mayWait && errorField(body, 'C') === CANNOT_CONNECT_NOW) {
              isRecovering = true;
              upstream.destroy();
              return;
            }
            isFirst = false;
            if (type === 'K') {
              key = body.toString('hex');
              this.#keys.set(key, cluster);
            }
            if (type === 'Z' || type === 'E') {
              upstream.off('data', login);
              upstream.pipe(client, { end: false });
              break;
            }
          }
          client.write(chunk);
        } catch {
          upstream.destroy();
        }
      };
      upstream.on('data', login);
      upstream.on('end', () => upstream.end());
      upstream.on('close', () => {
        clearTimeout(lost);
        if (key) this.#keys.delete(key);
        for (const event of ['end', 'close']) client.off(event, clientGone);
        if (isRecovering) {
          client.unpipe(upstream);
          client.pause();
          resolve('recovering');
        } else {
          client.end();
          resolve('ended');
        }
      });
      for (const event of ['end', 'close']) client.on(event, clientGone);
      upstream.write(startup);
      if (rest.length > 0) upstream.write(rest);
      client.pipe(upstream, { end: false });
      if (client.destroyed) clientGone();
    });
  }

  /** Kills a session that does not end. The server ends the other sessions of the account, too, and recovers. */
  #endLostSession(cluster: Cluster, key: string | undefined, upstream: Socket): void {
    const pid = key ? Number.parseInt(key.slice(0, 8), 16) : undefined;
    this.options.log.write(`Killing a session of ${cluster.name}, which did not end when its client was gone.\n`);
    if (pid) cluster.killSession(pid);
    upstream.destroy();
  }

  #cancel(key: string): void {
    const cluster = this.#keys.get(key);
    if (!cluster?.isAwake) return;
    const upstream = connect(cluster.socketPath);
    upstream.on('error', () => {});
    upstream.end(cancelMessage(key));
  }
}

function refuse(client: Socket, sqlState: string, text: string): void {
  client.resume();
  client.end(errorMessage('FATAL', sqlState, text));
}
