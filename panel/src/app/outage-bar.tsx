import { IconPlugConnectedX } from '@tabler/icons-react';
import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isTransient, isUnreachable, messageOf } from '../api/api-error.js';
import { SteadyButton } from '../components/steady-button.js';
import { reconnectLive } from '../live/live-socket.js';
import { useLiveLost } from '../live/use-live-lost.js';

const ASK_AGAIN_MS = 5_000;

/** On the screen, and of before: fetching it anew has failed. What was never fetched says so in its own place. */
const isStale = ({ state }: Query): boolean => state.status === 'error' && state.data !== undefined;
const STALE = { type: 'active', predicate: isStale } as const;

/** Why something on the screen is of before, or null. */
function useFailedRefetch(): Error | null {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const failure = useSyncExternalStore(
    useCallback(onChange => cache.subscribe(notifyManager.batchCalls(onChange)), [cache]),
    () => cache.findAll(STALE)[0]?.state.error ?? null,
  );
  const heals = isTransient(failure);
  useEffect(() => {
    if (!heals) return;
    const timer = setInterval(() => void queryClient.refetchQueries(STALE, { cancelRefetch: false }), ASK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [queryClient, heals]);
  return failure;
}

function Bar({ children }: { children: string }) {
  const queryClient = useQueryClient();
  const [isTrying, setTrying] = useState(false);
  const retry = async () => {
    setTrying(true);
    reconnectLive();
    await queryClient.refetchQueries({ type: 'active' });
    setTrying(false);
  };

  const bar = useRef<HTMLDivElement>(null);
  // The bar goes by itself, and the focus is not to go with it.
  useLayoutEffect(
    () => () => {
      if (bar.current?.contains(document.activeElement)) document.getElementById('content')?.focus();
    },
    [],
  );
  return (
    <div className="outage" ref={bar}>
      <IconPlugConnectedX size={18} aria-hidden />
      <p role="alert">{children}</p>
      <SteadyButton size="xs" variant="default" loading={isTrying} onClick={() => void retry()}>
        Retry
      </SteadyButton>
    </div>
  );
}

/** Says that what the panel shows is no longer kept up to date, for as long as it is so. */
export function OutageBar() {
  const isLiveLost = useLiveLost();
  const failure = useFailedRefetch();
  if (isLiveLost || isUnreachable(failure)) return <Bar>Trawl cannot be reached. What you see may be old.</Bar>;
  if (failure) return <Bar>{`What you see may be old: ${messageOf(failure)}`}</Bar>;
  return null;
}
