import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** The code of a screen did not come: Trawl is away, or it was updated and the code of before is gone. */
export class CodeNotLoaded extends Error {
  override readonly name = 'CodeNotLoaded';
}

/** `lazy`, which names its failure. React keeps that failure for as long as the page stands. */
export const lazyCode = <P>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> =>
  lazy(() =>
    load().catch(cause => {
      throw new CodeNotLoaded(
        `Trawl answers, but the code of this page did not come. Its server may need a new build. (${cause})`,
        { cause },
      );
    }),
  );
