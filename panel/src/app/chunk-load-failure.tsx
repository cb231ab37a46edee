import { Center } from '@mantine/core';
import { useEffect, useState } from 'react';
import { unreachable } from '../api/api-error.js';
import { Loading } from '../components/feedback/loading.js';
import { ErrorState } from '../components/feedback/states.js';
import type { ChunkLoadError } from '../components/lazy-screen.js';
import { isServerUp, mayReloadOnce, reload } from './reload-once.js';

const RETRY_INTERVAL_MS = 3_000;

/** Shown in place of a screen whose code failed to load. Reloads the page as soon as the server answers. */
export function ChunkLoadFailure({ error, inset }: { error: ChunkLoadError; inset?: boolean }) {
  const [state, setState] = useState<'checking' | 'down' | 'broken'>('checking');
  const [attempt, setAttempt] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt starts the check again.
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const check = async () => {
      const isUp = await isServerUp();
      if (isOver) return;
      if (!isUp) {
        setState('down');
        timer = setTimeout(() => void check(), RETRY_INTERVAL_MS);
      } else if (mayReloadOnce()) reload();
      else setState('broken');
    };
    void check();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [attempt]);
  const retryNow = () => {
    setState('checking');
    setAttempt(count => count + 1);
  };

  if (state === 'down')
    return <ErrorState inset={inset} what="This page could not be loaded" error={unreachable()} onRetry={retryNow} />;
  if (state === 'broken')
    return <ErrorState inset={inset} what="This page could not be loaded" error={error} onRetry={reload} />;
  return (
    <Center h="60vh">
      <Loading what="the page" />
    </Center>
  );
}
