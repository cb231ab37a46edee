import { Center, Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { unreachable } from '../api/api-error.js';
import type { CodeNotLoaded } from '../components/lazy-code.js';
import { ErrorState } from '../components/states.js';
import { isPanelThere, mayReload, reload } from './fresh-page.js';

const ASK_AGAIN_MS = 3_000;

/** In place of a screen whose code did not come: loads its address anew, as soon as there is one who answers. */
export function MissingCode({ error }: { error: CodeNotLoaded }) {
  const [state, setState] = useState<'asking' | 'away' | 'broken'>('asking');
  const [attempt, setAttempt] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks anew.
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async () => {
      const isThere = await isPanelThere();
      if (isOver) return;
      if (!isThere) {
        setState('away');
        timer = setTimeout(() => void ask(), ASK_AGAIN_MS);
      } else if (mayReload()) reload();
      else setState('broken');
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [attempt]);
  const askNow = () => {
    setState('asking');
    setAttempt(count => count + 1);
  };

  if (state === 'away')
    return <ErrorState what="This page could not be loaded" error={unreachable()} onRetry={askNow} />;
  if (state === 'broken') return <ErrorState what="This page could not be loaded" error={error} onRetry={reload} />;
  return (
    <Center h="60vh">
      <Loader type="dots" aria-label="Loading the page" />
    </Center>
  );
}
