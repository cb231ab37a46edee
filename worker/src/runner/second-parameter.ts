const INSTEAD = 'Write instead: const { eventEmitter } = global.dex8;';

/** The library that main.js of older skripts got as its second parameter. */
export interface Library {
  names: string[];
  /** Whether `Object.keys` and copies of the library have the name. */
  isListed(name: string): boolean;
  read(name: string): unknown;
}

/** Matches a function whose second parameter has one of the names of a library. The bundler may have added a number. */
const TAKES_LIBRARY = /^(?:(?!=>|\)\s*\{)[\s\S])*?,\s*(?:lib|library)\d*\s*(?:=\s*\{\s*\}\s*)?\)\s*(?:=>|\{)/;

/**
 * Returns the second argument of main.js, which is the input secret.
 *
 * In skripts of 2023 and before it was a library. If the parameter has the name of one, the secret also gets what they
 * read from it. Otherwise, `eventEmitter` of a secret throws an error with the reason. It would be undefined, and the
 * skript would fail elsewhere.
 *
 * @param code of the function that main.js exports
 */
export function secondParameter(secret: unknown, code: string, { names, isListed, read }: Library): unknown {
  const isObject = typeof secret === 'object' && secret !== null;
  if (TAKES_LIBRARY.test(code)) {
    const library = isObject ? secret : (secret ?? {});
    for (const name of typeof library === 'object' ? names : [])
      define(library, name, isListed(name), () => read(name));
    return library;
  }
  if (isObject) {
    define(secret, 'eventEmitter', false, () => {
      throw new TypeError(
        `main.js reads \`eventEmitter\` from its second parameter, which is the input secret and has none. ${INSTEAD}`,
      );
    });
  }
  return secret;
}

/** Defines a value that the skript may replace, unless the secret has a field of that name. */
function define(secret: object, name: string, enumerable: boolean, get: () => unknown): void {
  if (name in secret) return;
  Object.defineProperty(secret, name, {
    configurable: true,
    enumerable,
    get,
    set(value) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    },
  });
}

/** Returns what to do about an error that skripts of 2023 get in a run without an input secret; null for other errors. */
export function secondParameterHint(thrown: unknown): string | null {
  if (!(thrown instanceof TypeError)) return null;
  const { message } = thrown;
  if (!message.includes("'eventEmitter'") || !/\b(undefined|null)\b/.test(message)) return null;
  return `  If this is the second parameter of main.js: it is the input secret, not a library. ${INSTEAD}`;
}
