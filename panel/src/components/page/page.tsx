import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { inReadingOrder } from '../values/in-reading-order.js';

interface PageProps {
  title: string;
  /** A hint beside the title, in windows that have room for it. */
  description?: string;
  crumbs?: ReactNode;
  actions?: ReactNode;
  /** Elements of the class `facts-line`, beside the title. */
  facts?: ReactNode;
  children: ReactNode;
}

/**
 * One screen: a head of one line, and content. It sets the title of the browser tab. If the focused element is gone after
 * a navigation, such as a closed dialog, the heading gets the focus.
 */
export function Page({ title, description, crumbs, actions, facts, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const isFollowed = useNavigationType() === 'PUSH';
  useEffect(() => {
    document.title = `${inReadingOrder(title)} · Trawl`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the screen opens.
  useEffect(() => {
    if (isFollowed && document.activeElement === document.body) heading.current?.focus();
  }, [pathname]);
  return (
    <div className="page">
      <header className="page-head">
        <div className="page-title">
          {crumbs && (
            <nav className="crumbs" aria-label="Breadcrumb">
              {crumbs}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {inReadingOrder(title)}
          </h1>
        </div>
        {description && <p title={description}>{description}</p>}
        {facts}
        {actions && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
