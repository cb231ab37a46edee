/**
 * Node's options for a worker. Each read of a socket allocates a buffer of 64 KB, which is freed only when the heap's
 * young generation is collected. A worker's heap is so small that this rarely happened with Node's default. Instead,
 * Node collected the whole heap: with many short runs ten times a second, which took a third of the worker's processor
 * time. A young generation that is even smaller than this would slow down runs with many echoes.
 */
export const NODE_ARGUMENTS = ['--max-semi-space-size=4'];
