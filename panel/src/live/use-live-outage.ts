import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { liveSocket } from './live-socket.js';

/** Interruptions up to this long are not reported. */
const TOLERATED_MS = 2_000;

/** Returns true while the live connection is lost. When it is back, all data is loaded again. */
export function useLiveOutage(): boolean {
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
      // Signing out closes the connection on purpose.
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
