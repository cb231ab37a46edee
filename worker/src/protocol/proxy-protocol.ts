/**
 * The HTTP protocol between the runner and the worker's proxy, over a Unix socket. `CONNECT host:port` opens a tunnel.
 * `GET DNS_PATH?call=[method, …arguments]` (JSON) calls that method of `dns.promises`. When a request fails, the proxy
 * responds with a status of 400 or more and a `ProxyFailure` as JSON.
 */
export interface ProxyFailure {
  /** Node's error code, such as ECONNREFUSED. It is EACCES for an address that runs may not reach. */
  code: string;
  message: string;
  /** The IP address to which the connection failed, if there was one. */
  address?: string;
}

export const DNS_PATH = '/dns';

/** Name of a header in the response to CONNECT. It contains the IP address to which the tunnel leads. */
export const ADDRESS_HEADER = 'x-address';

export const DNS_METHODS = [
  'lookup',
  'resolve',
  'resolve4',
  'resolve6',
  'resolveAny',
  'resolveCaa',
  'resolveCname',
  'resolveMx',
  'resolveNaptr',
  'resolveNs',
  'resolvePtr',
  'resolveSoa',
  'resolveSrv',
  'resolveTxt',
  'reverse',
] as const;
export type DnsMethod = (typeof DNS_METHODS)[number];

/** Folder and name of the proxy's socket in a sandbox without the machine's network. */
export const PROXY_FOLDER = '/trawl/egress';
export const PROXY_SOCKET = 'proxy';
/** Path of the proxy's socket inside a sandbox without the machine's network. */
export const PROXY_PATH = `${PROXY_FOLDER}/${PROXY_SOCKET}`;
