import { useLocation } from '@docusaurus/router';
import { type ReactNode, useEffect, useRef } from 'react';

interface ApiOperationProps {
  /** Anchor of the heading above. */
  id: string;
  /** The description and the calls, side by side on wide screens. */
  children: ReactNode;
}

/**
 * Parameters, responses and examples of a route. On small screens they unfold when the reader asks for them or follows a
 * link to the route; on others css/api-pages.css always shows them.
 */
export function ApiOperation({ id, children }: ApiOperationProps) {
  const fold = useRef<HTMLDetailsElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (fold.current && hash === `#${id}`) fold.current.open = true;
  }, [hash, id]);
  return (
    <details ref={fold} className="api-operation">
      <summary>Parameters, response and example</summary>
      <div className="api-columns">{children}</div>
    </details>
  );
}
