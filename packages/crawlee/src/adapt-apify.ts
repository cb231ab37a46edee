import { unsupported } from './run.js';

type Method = (this: unknown, ...args: never[]) => Promise<unknown>;

/** The module `apify`. Its static methods call those of an instance. */
export interface Apify {
  Actor?: { prototype: Record<string, Method> };
}

interface ProxyOptions {
  useApifyProxy?: boolean;
  proxyUrls?: string[];
  newUrlFunction?: unknown;
}

/** Methods that open a storage, in the cloud of Apify with `forceCloud`. */
const OPENING = ['openDataset', 'openKeyValueStore', 'openRequestQueue'];
const START_ANOTHER = 'Start the other skript with the Joint API, for example with @trawl/client.';
/** For each method that needs the platform of Apify: what to use instead. */
const INSTEAD: Record<string, string> = {
  call: START_ANOTHER,
  callTask: START_ANOTHER,
  start: START_ANOTHER,
  metamorph: START_ANOTHER,
  abort: 'Stop the run with the Joint API or in the panel.',
  reboot: 'Set retries for the run, and throw an error: the next attempt continues the queue.',
  addWebhook: 'Add a webhook in the panel, which hears of all runs.',
};

/** Makes what an Actor cannot do in a run of Trawl throw an error that names it. Apify itself would call its own API. */
export function adaptApify({ Actor }: Apify): void {
  const prototype = Actor?.prototype;
  if (!prototype) return;
  for (const [method, instead] of Object.entries(INSTEAD)) {
    prototype[method] = async () => {
      throw unsupported(`Actor.${method}`, instead);
    };
  }
  for (const method of OPENING) {
    const open = prototype[method];
    prototype[method] = async function (name: unknown, options?: { forceCloud?: boolean }) {
      if (options?.forceCloud) {
        throw unsupported(`Actor.${method} with forceCloud`, 'Leave forceCloud out: the storage is in Trawl.');
      }
      return open?.call(this, name as never, options as never);
    };
  }
  const { createProxyConfiguration, exit } = prototype;
  // Nothing of the Actor runs after it has ended itself, as with the `process.exit` of Node.
  prototype.exit = async function (...args: { exit?: boolean }[]) {
    await exit?.apply(this, args as never[]);
    if (args.every(options => options?.exit !== false)) await new Promise(() => {});
  };
  prototype.createProxyConfiguration = async function (options: ProxyOptions = {}) {
    const { useApifyProxy, proxyUrls, newUrlFunction } = options ?? {};
    if (useApifyProxy !== false && !proxyUrls && !newUrlFunction) {
      throw unsupported(
        'Actor.createProxyConfiguration for the proxy of Apify',
        'Pass proxyUrls with proxies of your own, or { useApifyProxy: false }.',
      );
    }
    return createProxyConfiguration?.call(this, options as never);
  };
}
