import { useLocation, useRouteError } from 'react-router';
import { CodeNotLoaded } from '../components/lazy-code.js';
import { ErrorState } from '../components/states.js';
import { reload } from './fresh-page.js';
import { MissingCode } from './missing-code.js';

/** Shown where a page broke, or its code did not come. */
export function RouteFailure() {
  const error = useRouteError();
  const { pathname } = useLocation();
  if (error instanceof CodeNotLoaded) return <MissingCode key={pathname} error={error} />;
  return <ErrorState what="This page could not be shown" error={error} onRetry={reload} />;
}
