import { type RefObject, useCallback, useEffect, useState } from 'react';

/**
 * `still`: all parts are visible without animation. This state is used in the static HTML, and if the visitor has no
 * JavaScript or prefers reduced motion. `waiting`: the parts are hidden until the animation starts.
 * `playing`: the parts appear one after the other.
 */
type ReplayState = 'still' | 'waiting' | 'playing';

const SHARE_IN_VIEW = 0.4;

/** Plays the animation in `stage` when it scrolls into view, and again on request. */
export function useReplay(stage: RefObject<HTMLElement | null>) {
  const [state, setState] = useState<ReplayState>('still');
  const [canReplay, setCanReplay] = useState(false);

  useEffect(() => {
    if (!stage.current || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    setCanReplay(true);
    // Do not animate if the element is already visible (or above), because the animation first hides it.
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
