/** Name of the global function that the worker's runner provides: it chooses the proxies of the run. */
const CHOOSE = Symbol.for('trawl.chooseProxies');

/** Which proxies of your account to use. All fields are optional. */
export interface ProxyOptions {
  /** Name of a pool of your account. By default, the pool of the skript. */
  pool?: string;
  /** Use only proxies of this country, such as `de`. */
  country?: string;
  /** Use only proxies of this tier, from 1 to 9. */
  tier?: number;
  /** Connections of the same session have the same proxy, as long as this one works. Any text. */
  session?: string;
}

const EXPECTED: Record<keyof ProxyOptions, [type: string, is: (value: unknown) => boolean]> = {
  pool: ['a text of at most 200 characters', isText],
  country: ['two lower-case letters, such as "de"', value => typeof value === 'string' && /^[a-z]{2}$/.test(value)],
  tier: ['a number from 1 to 9', value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 9],
  session: ['a text of at most 200 characters', isText],
};

/**
 * Lets all connections of the run that begin from now on go through proxies of your account, whichever library opens
 * them. `proxy(null)` connects directly again. Outside a run of the platform it does nothing.
 *
 * @throws Error if your account has no such pool or proxies
 */
export async function proxy(options: ProxyOptions | null): Promise<void> {
  if (options !== null) check(options);
  const choose = (globalThis as { [CHOOSE]?: (options: ProxyOptions | null) => Promise<void> })[CHOOSE];
  await choose?.(options);
}

function check(options: ProxyOptions): void {
  if (typeof options !== 'object' || Array.isArray(options)) {
    throw new TypeError('proxy: give an object, such as { pool: "shops" }, or null.');
  }
  for (const [name, value] of Object.entries(options)) {
    const [type, is] = Object.hasOwn(EXPECTED, name) ? EXPECTED[name as keyof ProxyOptions] : [];
    if (!type || !is)
      throw new TypeError(`proxy: there is no option "${name}", only ${Object.keys(EXPECTED).join(', ')}.`);
    if (value !== undefined && !is(value)) throw new TypeError(`proxy: ${name} must be ${type}.`);
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 200;
}
