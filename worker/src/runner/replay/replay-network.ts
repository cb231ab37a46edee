import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { connectArguments } from '../network/connect-arguments.js';
import type { Replay } from './replay.js';
import { type Forward, ReplayServer } from './replay-server.js';

type Connect = (this: Socket, ...args: unknown[]) => Socket;

/** The names of a TLS socket that libraries read before they send a request. */
const SECURE = {
  encrypted: true,
  authorized: true,
  authorizationError: null,
  alpnProtocol: false,
  getPeerCertificate: () => ({}),
  getCipher: () => ({ name: 'none', standardName: 'none', version: 'none' }),
  getProtocol: () => 'TLSv1.3',
  getSession: () => undefined,
  isSessionReused: () => false,
  setServername: () => {},
  setMaxSendFragment: () => true,
};

/**
 * Changes `net` and `tls`, and so also `http`, `https`, `fetch` and every library that uses them: all their connections
 * lead to a server in this process, which answers from the record. So a replay needs no certificates, and knows no library.
 * This is not what isolates the run: the worker starts it without a network.
 */
export function installReplayNetwork(replay: Replay): void {
  const connectBefore = Socket.prototype.connect as Connect;
  const connectSecurelyBefore = tls.connect as (...args: unknown[]) => TLSSocket;
  const server = new ReplayServer(
    replay,
    replay.mayUseNetwork ? forwarder(connectBefore, connectSecurelyBefore) : null,
  );

  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [options, listener] = connectArguments(args);
    if (options.path || options.port === undefined) return connectBefore.apply(this, args);
    if (listener) this.once('connect', listener);
    return connectBefore.call(this, { path: server.paths.plain });
  } as typeof Socket.prototype.connect;

  tls.connect = ((...args: unknown[]) => {
    const [options, listener] = connectArguments(args) as unknown as [ConnectionOptions, (() => void) | null];
    const socket = options.socket instanceof Socket ? options.socket : new Socket();
    Object.assign(socket, SECURE, { servername: options.servername ?? options.host });
    if (listener) socket.once('secureConnect', listener);
    const connected = () => socket.emit('secureConnect');
    if (options.socket === undefined)
      connectBefore.call(socket, { path: server.paths.secure }).once('connect', connected);
    else if (socket.connecting) socket.once('connect', connected);
    else process.nextTick(connected);
    return socket;
  }) as unknown as typeof tls.connect;
  syncBuiltinESMExports();
}

/** Returns a function that sends a request to the network, with the functions as they were before the replay. */
function forwarder(connect: Connect, connectSecurely: (...args: unknown[]) => TLSSocket): Forward {
  return (url, incoming, body, response) => {
    const isSecure = url.protocol === 'https:';
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const createConnection = () => {
      const socket = connect.call(new Socket(), { host, port: Number(url.port) || (isSecure ? 443 : 80) });
      return isSecure ? connectSecurely({ socket, servername: host }) : socket;
    };
    const { method, headers } = incoming;
    const outgoing = (isSecure ? requestSecure : requestPlain)(
      { method, host, path: url.pathname + url.search, headers, createConnection },
      answer => {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    outgoing.once('error', error => response.destroy(error));
    outgoing.end(body);
  };
}
