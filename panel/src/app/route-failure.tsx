import { useLocation, useRouteError } from 'react-router';
import { ApiError, messageOf } from '../api/api-error.js';
import { ErrorState } from '../components/feedback/states.js';
import { ChunkLoadError } from '../components/lazy-screen.js';
import { ChunkLoadFailure } from './chunk-load-failure.js';
import { reload } from './reload-once.js';

/**
 * Error page for a screen that threw an error or whose chunk failed to load. `inset` is for the page without the shell,
 * which has no padding.
 */
export function RouteFailure({ inset }: { inset?: boolean }) {
  const error = useRouteError();
  const { pathname } = useLocation();
  if (error instanceof ChunkLoadError) return <ChunkLoadFailure key={pathname} error={error} inset={inset} />;
  const shown =
    error instanceof ApiError
      ? error
      : new Error(
          `The panel has a defect: “${messageOf(error)}”. If it happens again, report this text to your administrator.`,
        );
  return <ErrorState inset={inset} what="This page could not be shown" error={shown} onRetry={reload} />;
}
