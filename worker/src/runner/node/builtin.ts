/**
 * Loads one of Node's own modules when it is first used. The runner uses this for modules that not every run needs,
 * because loading them takes time in each process.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule;
