import type { ReactNode } from 'react';
import { useScrollEdges } from './use-scroll-edges.js';

interface ScrollFrameProps {
  children: ReactNode;
  /** Name of a frame without controls. It gets the focus, so that the keyboard can scroll it. */
  label?: string;
}

/** A frame for a table that may be wider than the page. Edges behind which there is more fade out. */
export function ScrollFrame({ children, label }: ScrollFrameProps) {
  const ref = useScrollEdges<HTMLElement>();
  return label === undefined ? (
    <div ref={ref} className="table-frame">
      {children}
    </div>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the frame, which has no controls.
    <section ref={ref} className="table-frame" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
