const INSTEAD = 'Write instead: const { eventEmitter } = global.dex8;';

/** Older skripts read these fields of the library that main.js got as its second parameter. */
const OF_LIBRARY = ['echo', 'eventEmitter'] as const;
export type NameInLibrary = (typeof OF_LIBRARY)[number];

/** Matches a function whose second parameter has one of the names of a library. The bundler may have added a number. */
const TAKES_LIBRARY = /^(?:(?!=>|\)\s*\{)[\s\S])*?,\s*(?:lib|library)\d*\s*(?:=\s*\{\s*\}\s*)?\)\s*(?:=>|\{)/;

export const LIBRARY_WARNING =
  'main.js reads `echo` or `eventEmitter` from its second parameter, as older skripts do. Write instead: ' +
  "const { echo } = require('@trawl/echo'); const { eventEmitter } = global.trawl;";

/**
 * Returns the second argument of main.js, which is the input secret.
 *
 * In skripts of 2023 and before it was a library. If the parameter has the name of one, the secret also gets what they
 * read from it. Otherwise, `eventEmitter` of a secret throws an error with the reason. It would be undefined, and the
 * skript would fail elsewhere.
 *
 * @param code of the function that main.js exports
 * @param read returns a value of the library
 */
export function secondParameter(secret: unknown, code: string, read: (name: NameInLibrary) => unknown): unknown {
  const isObject = typeof secret === 'object' && secret !== null;
  if (TAKES_LIBRARY.test(code)) {
    const library = isObject ? secret : (secret ?? {});
    for (const name of typeof library === 'object' ? OF_LIBRARY : []) define(library, name, true, () => read(name));
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
function define(secret: object, name: NameInLibrary, enumerable: boolean, get: () => unknown): void {
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
