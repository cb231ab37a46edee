import { subscribe } from 'node:diagnostics_channel';
import Module from 'node:module';
import { valueIn } from '../network/request-counts.js';
import type { DomainGate, Leave } from './domain-gate.js';

interface DispatchOptions {
  origin?: unknown;
  path?: string;
  method?: string;
}
interface Handler {
  onError?(error: Error): void;
  onResponseError?(controller: null, error: Error): void;
}
/** Methods of a handler that end its request, of all versions of undici. */
const ENDS = new Set<string | symbol>([
  'onComplete',
  'onError',
  'onUpgrade',
  'onResponseEnd',
  'onResponseError',
  'onRequestUpgrade',
]);
type Dispatch = (this: object, options: DispatchOptions, handler: Handler) => boolean;
type Load = (this: unknown, name: string, ...more: unknown[]) => unknown;

/** The dispatcher of `fetch`. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** Marks the options of a request that has passed the gate: one dispatcher passes it on to another. */
const PASSED = Symbol('passed');

/**
 * Lets the requests of `fetch` and of every undici from npm wait at the gate. They wait before a connection is chosen,
 * because the requests of one connection follow one another.
 */
export function paceUndici(gate: DomainGate): void {
  const paced = new WeakSet<object>();
  const pace = (dispatcher: object | undefined) => {
    const base = baseOf(dispatcher);
    if (!base || paced.has(base)) return;
    paced.add(base);
    const { dispatch } = base;
    base.dispatch = function (options, handler) {
      const isPassed = options !== null && typeof options === 'object' && PASSED in options;
      const url = isPassed || !gate.isOn ? null : urlOf(this, options);
      if (url === null) return dispatch.call(this, options, handler);
      const go = (to: Handler) => dispatch.call(this, { ...options, [PASSED]: true } as DispatchOptions, to);
      const entering = gate.enter(url);
      if (!entering) return go(handler);
      let to = handler;
      entering
        .then(leave => {
          if (leave) to = leaving(handler, leave);
          go(to);
        })
        .catch((error: Error) => {
          if (to.onResponseError) to.onResponseError(null, error);
          else to.onError?.(error);
        });
      return true;
    };
  };

  // Node loads its own undici when a name of it is first used.
  void globalThis.Headers;
  pace((globalThis as { [DISPATCHER]?: object })[DISPATCHER]);
  const modules = Module as unknown as { _load: Load };
  const { _load: load } = modules;
  modules._load = function (name, ...more) {
    const exports = load.call(this, name, ...more);
    if (/(?:^|[\\/])undici(?:$|[\\/])/.test(name))
      pace((exports as { Client?: { prototype: object } }).Client?.prototype);
    return exports;
  };
  subscribe('undici:request:headers', message => {
    const { request, response } = message as {
      request: { origin?: unknown };
      response: { statusCode: number; headers: Buffer[] };
    };
    const base = originOf(request.origin);
    if (base) gate.answered(base.host, response.statusCode, valueIn(response.headers, 'retry-after'));
  });
}

/** Returns a handler that leaves the gate when its request is over. */
function leaving(handler: Handler, leave: Leave): Handler {
  return new Proxy(handler, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      // Handlers may have private fields.
      return (...args: unknown[]) => {
        if (ENDS.has(name)) leave();
        return value.apply(target, args);
      };
    },
  });
}

/** Returns the prototype whose `dispatch` all dispatchers of the same undici inherit. */
function baseOf(dispatcher: object | undefined): { dispatch: Dispatch } | null {
  let found: { dispatch: Dispatch } | null = null;
  for (let at = dispatcher; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    // The last class has a method that only throws.
    if (Object.hasOwn(at, 'dispatch') && Object.hasOwn(at, 'close')) found ??= at as { dispatch: Dispatch };
  }
  return found;
}

/** A dispatcher for one origin has it in a field. */
function urlOf(dispatcher: object, { origin, method, path }: DispatchOptions): URL | null {
  if (method === 'CONNECT') return null;
  if (origin) return urlIn(origin, path);
  const field = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === 'url');
  return field ? urlIn((dispatcher as Record<symbol, unknown>)[field], path) : null;
}

function urlIn(origin: unknown, path = '/'): URL | null {
  const base = originOf(origin);
  if (!base) return null;
  try {
    return new URL(path.startsWith('/') ? `${base.origin}${path}` : path);
  } catch {
    return null;
  }
}

/** The latest origin, because most requests of a run go to the same one as the request before. */
let latest = { text: '', origin: '', host: '' };

function originOf(origin: unknown): { origin: string; host: string } | null {
  const text = String(origin);
  if (text === latest.text) return latest;
  try {
    const { origin: normalised, host } = new URL(text);
    latest = { text, origin: normalised, host };
    return latest;
  } catch {
    return null;
  }
}
