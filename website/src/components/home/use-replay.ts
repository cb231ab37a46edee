import { type RefObject, useCallback, useEffect, useState } from 'react';

/**
 * `still`: everything shown, nothing moves; so it is rendered to files, and stays so without JavaScript or where motion
 * is not welcome. `waiting`: out of sight, about to be played. `playing`: shown piece by piece, and then all of it.
 */
type ReplayState = 'still' | 'waiting' | 'playing';

const SHARE_IN_VIEW = 0.4;

/** Plays what happened in `stage` once it comes into view, and again on request. */
export function useReplay(stage: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<ReplayState>('still');
  const [canReplay, setCanReplay] = useState(false);

  useEffect(() => {
    if (!stage.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    setCanReplay(true);
    // What a reader sees already is not taken away again.
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
    // Animations begin anew only if a frame without them was drawn.
    requestAnimationFrame(() => requestAnimationFrame(() => setState('playing')));
  }, []);

  return { state, replay: canReplay ? replay : undefined };
}
