import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Error if the code of a screen failed to load: the server is down, or an update removed the old file. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError';
}

/**
 * Works like React's `lazy`, but throws a `ChunkLoadError` if loading fails. React does not try again until the page is
 * reloaded.
 */
export const lazyScreen = <P>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(() =>
    load().catch(cause => {
      throw new ChunkLoadError(
        `The server answers, but the code of this page failed to load. The panel may need a new build. (${cause})`,
        { cause },
      );
    }),
  );
