const INSTEAD = 'Write instead: const { eventEmitter } = global.dex8;';

/**
 * Skripts of 2023 read `eventEmitter` from the second parameter of main.js, which is the input secret. If the secret is
 * an object, makes its `eventEmitter` throw an error with the reason. Otherwise it would be undefined, and the skript
 * would fail elsewhere.
 */
export function watchSecondParameter(inputSecret: unknown): unknown {
  if (typeof inputSecret !== 'object' || inputSecret === null || 'eventEmitter' in inputSecret) return inputSecret;
  return Object.defineProperty(inputSecret, 'eventEmitter', {
    configurable: true,
    get() {
      throw new TypeError(
        `main.js reads \`eventEmitter\` from its second parameter, which is the input secret and has none. ${INSTEAD}`,
      );
    },
    set(value) {
      Object.defineProperty(this, 'eventEmitter', { value, writable: true, enumerable: true, configurable: true });
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
