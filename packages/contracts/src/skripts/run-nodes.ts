/**
 * The versions of Node that run skripts on Linux, newest first. They come from npm, as optional dependencies of the
 * worker with these versions.
 * See docs/decisions/0491-runs-have-their-own-node.md.
 */
export const RUN_NODES = { 24: '24.21.0', 22: '22.23.3' } as const;

export type RunNode = keyof typeof RUN_NODES;

/** The Node of a run whose skript asks for no other. */
export const DEFAULT_RUN_NODE: RunNode = 24;
