/**
 * Loads one of Node's own modules when it is first used. The runner uses this for modules that not every run needs,
 * because each module takes milliseconds to load: with a heap limit, Node compiles its own modules again instead of
 * using its code cache.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule;
