import { type RefObject, useCallback, useEffect, useState } from 'react';

/**
 * `playing`: the parts appear one after the other and stay, by CSS alone. The static HTML has this state, so the run
 * plays and ends without JavaScript. Without motion, all parts are visible at once. `waiting`: the parts are hidden
 * until the animation starts.
 */
type ReplayState = 'waiting' | 'playing';

const SHARE_IN_VIEW = 0.4;

/** Plays the animation in `stage` when it is in view, and again on request. */
export function useReplay(stage: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<ReplayState>('playing');
  const [canReplay, setCanReplay] = useState(false);

  useEffect(() => {
    if (!stage.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    setCanReplay(true);
    // Already in view, so it plays since the page was shown.
    if (stage.current.getBoundingClientRect().top < innerHeight) return;
    setState('waiting');
    const seen = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return;
        seen.disconnect();
        setState('playing');
      },
      { threshold: SHARE_IN_VIEW },
    );
    seen.observe(stage.current);
    return () => seen.disconnect();
  }, [stage]);

  const replay = useCallback(() => {
    setState('waiting');
    // Wait for a frame without animations, because otherwise the browser does not restart them.
    requestAnimationFrame(() => requestAnimationFrame(() => setState('playing')));
  }, []);

  return { state, replay: canReplay ? replay : undefined };
}
