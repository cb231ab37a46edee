import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { liveSocket } from './live-socket.js';

/** A connection that is back sooner is not worth a word. */
const TOLERATED_MS = 2_000;

/** Whether live news have stayed away. When they are back, all that is shown is fetched anew. */
export function useLiveLost(): boolean {
  const queryClient = useQueryClient();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    const socket = liveSocket();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wasLost = false;
    const wait = () => {
      timer = setTimeout(() => {
        wasLost = true;
        setLost(true);
      }, TOLERATED_MS);
    };
    const onDisconnect = (reason: string) => {
      clearTimeout(timer);
      // Whoever signs out closes it on purpose.
      if (reason !== 'io client disconnect') wait();
    };
    const onConnect = () => {
      clearTimeout(timer);
      setLost(false);
      if (wasLost) void queryClient.invalidateQueries();
      wasLost = false;
    };
    if (!socket.connected) wait();
    socket.on('disconnect', onDisconnect);
    socket.on('connect', onConnect);
    return () => {
      clearTimeout(timer);
      socket.off('disconnect', onDisconnect);
      socket.off('connect', onConnect);
    };
  }, [queryClient]);
  return isLost;
}
