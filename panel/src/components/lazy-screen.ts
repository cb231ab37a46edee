import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Error if the code of a screen failed to load: the server is down, or an update removed the old file. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError';
}

let loading = 0;

/** Shows the loading bar of `base.css` while code loads, because React keeps the previous screen until then. */
function changeLoading(by: number): void {
  loading += by;
  document.documentElement.toggleAttribute('data-loading', loading > 0);
}

/**
 * Works like React's `lazy`, but throws a `ChunkLoadError` if loading fails. React does not try again until the page is
 * reloaded.
 */
export const lazyScreen = <P>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(() => {
    changeLoading(1);
    return load()
      .catch(cause => {
        throw new ChunkLoadError(
          `The server answers, but the code of this page failed to load. The panel may need a new build. (${cause})`,
          { cause },
        );
      })
      .finally(() => changeLoading(-1));
  });
