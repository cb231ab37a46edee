import type { ProxyMethod, StorageAnswer } from '@trawl/contracts';
import { startSocksRelay } from '../network/socks-relay.js';
import { ProxiedConnections } from './proxied-connections.js';

/**
 * Makes the connections of this process go through the proxies that a run chooses. Browsers and other child processes
 * reach them by a relay, which asks for no password.
 *
 * @param send sends a call to the platform
 */
export function startProxies(
  send: (op: { method: ProxyMethod; args: Uint8Array }) => Promise<StorageAnswer>,
  warn: (text: string) => void,
): ProxiedConnections {
  const call = async (method: ProxyMethod, args: object) => {
    const answer = await send({ method, args: Buffer.from(JSON.stringify(args)) });
    if ('error' in answer) throw new Error(answer.error.message);
    return JSON.parse(Buffer.from(answer.result).toString());
  };
  const connections = new ProxiedConnections(
    {
      take: choice => call('takeProxies', choice),
      report: async totals => (await call('reportProxies', { totals })).rest,
    },
    warn,
  );
  connections.install();
  const port = startSocksRelay((host, port) => connections.openForBrowser(host, port));
  process.env.TRAWL_PROXY = `socks5h://127.0.0.1:${port}`;
  return connections;
}
