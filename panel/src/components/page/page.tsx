import { Group } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { inReadingOrder } from '../values/in-reading-order.js';
import { Mesh } from './mesh.js';

interface PageProps {
  title: string;
  description?: ReactNode;
  crumbs?: ReactNode;
  actions?: ReactNode;
  /** Makes the head one line. Shown beside the title; import `styles/lists/facts-line.css` with it. */
  facts?: ReactNode;
  children: ReactNode;
}

/**
 * One screen: heading, actions and content. It sets the title of the browser tab. If the focused element is gone after
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
      <header className="page-head" data-line={facts ? true : undefined}>
        <div className="page-net">
          <Mesh />
        </div>
        <div>
          {crumbs && (
            <nav className="crumbs" aria-label="Breadcrumb">
              {crumbs}
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {inReadingOrder(title)}
          </h1>
          {description && <p>{description}</p>}
        </div>
        {facts}
        {actions && (
          <Group gap="xs" className="page-actions">
            {actions}
          </Group>
        )}
      </header>
      {children}
    </div>
  );
}
