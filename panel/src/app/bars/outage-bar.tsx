import { IconPlugConnectedX } from '@tabler/icons-react';
import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isTransient, isUnreachable } from '../../api/api-error.js';
import { MessageText } from '../../components/feedback/message-text.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { reconnectLive } from '../../live/live-socket.js';
import { useLiveOutage } from '../../live/use-live-outage.js';

const RETRY_INTERVAL_MS = 5_000;

/**
 * Returns true if a query has old data and its refetch failed. Queries without data are left out: the screen shows
 * their error where the data would be.
 */
const isStale = ({ state }: Query): boolean => state.status === 'error' && state.data !== undefined;
const STALE = { type: 'active', predicate: isStale } as const;

/** Returns the error of a failed refetch, or null. Retries at intervals while the error is temporary. */
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
    const timer = setInterval(
      () => void queryClient.refetchQueries(STALE, { cancelRefetch: false }),
      RETRY_INTERVAL_MS,
    );
    return () => clearInterval(timer);
  }, [queryClient, heals]);
  return failure;
}

function Bar({ children }: { children: ReactNode }) {
  const queryClient = useQueryClient();
  const [isTrying, setTrying] = useState(false);
  const retry = async () => {
    setTrying(true);
    reconnectLive();
    await queryClient.refetchQueries({ type: 'active' });
    setTrying(false);
  };

  const bar = useRef<HTMLDivElement>(null);
  // When the bar disappears while its button has the focus, move the focus to the content. Otherwise it would be lost.
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
      <FocusableButton size="xs" variant="default" loading={isTrying} onClick={() => void retry()}>
        Retry
      </FocusableButton>
    </div>
  );
}

/** Warns while the panel shows data that may be out of date. */
export function OutageBar() {
  const isLiveDown = useLiveOutage();
  const failure = useFailedRefetch();
  if (isLiveDown || isUnreachable(failure)) return <Bar>Trawl is unreachable. This page may be out of date.</Bar>;
  if (failure)
    return (
      <Bar>
        This page may be out of date: <MessageText of={failure} />
      </Bar>
    );
  return null;
}
