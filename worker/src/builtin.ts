/**
 * One of Node's modules that not every run needs, loaded when it is first asked for: each takes milliseconds of a process,
 * since Node compiles its own modules anew where the limit of V8's heap is not the usual one.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule;
