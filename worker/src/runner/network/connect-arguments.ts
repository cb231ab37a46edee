import type { TcpSocketConnectOpts } from 'node:net';

export type ConnectListener = () => void;
export type ConnectOptions = TcpSocketConnectOpts & { path?: string };

/**
 * Parses the arguments as `net` does: `(options, listener)`, `(port, host, listener)`, `(path, listener)`, or an array.
 */
export function connectArguments(args: unknown[]): [ConnectOptions, ConnectListener | null] {
  if (Array.isArray(args[0])) return args[0] as [ConnectOptions, ConnectListener | null];
  const last = args.at(-1);
  const listener = typeof last === 'function' ? (last as ConnectListener) : null;
  const [first, second] = args;
  if (typeof first === 'object' && first !== null) return [first as ConnectOptions, listener];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first, port: 0 }, listener];
  return [{ port: Number(first), host: typeof second === 'string' ? second : 'localhost' }, listener];
}

/** The names and addresses of the run's own computer. */
export const OWN_LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|::|0\.0\.0\.0)$/i;
