/**
 * What the runner says to the worker's proxy over a unix socket, as HTTP: `CONNECT host:port` makes a tunnel, and
 * `GET DNS_PATH?call=[method, …arguments]` (JSON) asks for a name as the method of `dns.promises` of that name does.
 * What fails is answered with a status of 400 or more and a `ProxyFailure` as JSON.
 */
export interface ProxyFailure {
  /** As Node names it, such as ECONNREFUSED; EACCES for an address that runs do not reach. */
  code: string;
  message: string;
  /** The address that it was about, where there was one. */
  address?: string;
}

export const DNS_PATH = '/dns';

/** The tunnel's answer says in this header which address it leads to. */
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

/** The folder that a sandbox without the machine's network has the proxy's socket in, and the socket in it. */
export const PROXY_FOLDER = '/trawl/egress';
export const PROXY_SOCKET = 'proxy';
/** Where the runner finds it, if it is in such a sandbox. */
export const PROXY_PATH = `${PROXY_FOLDER}/${PROXY_SOCKET}`;
