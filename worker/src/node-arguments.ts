/**
 * What Node gets to run a worker. With each read of a socket it makes a buffer of 64 KB, which counts until the garbage
 * of its young generation is collected. Small as a worker's heap is, that was seldom: the whole heap was collected instead,
 * ten times a second under many short runs, a third of all that the worker did. Smaller still would slow down floods of echoes.
 */
export const NODE_ARGUMENTS = ['--max-semi-space-size=4'];
