import { useRouteError } from 'react-router';
import { ErrorState } from '../components/states.js';

/** Shown where a page broke, or its code could not be fetched: after an update the old code is gone. */
export function RouteFailure() {
  const error = useRouteError();
  return <ErrorState what="This page could not be shown" error={error} onRetry={() => window.location.reload()} />;
}
