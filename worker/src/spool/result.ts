import type { Finish } from '@trawl/contracts';

/** How a run ended. This is the frame that the worker sends to the platform, without the epoch of the connection. */
export type Result = Omit<Finish, 'epoch' | 'chunk'>;
