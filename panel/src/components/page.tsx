import { Group } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useNavigationType } from 'react-router';
import { Mesh } from './mesh.js';

interface PageProps {
  title: string;
  description?: ReactNode;
  crumbs?: ReactNode;
  actions?: ReactNode;
  /** For tools that use the whole screen, such as the editor. */
  wide?: boolean;
  children: ReactNode;
}

/**
 * One screen of a section: heading, what may be done here, content. Names the browser's tab as well, and takes the
 * focus when what led here is gone, such as a dialogue.
 */
export function Page({ title, description, crumbs, actions, wide, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  const isFollowed = useNavigationType() === 'PUSH';
  useEffect(() => {
    document.title = `${title} · Trawl`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the screen opens.
  useEffect(() => {
    if (isFollowed && document.activeElement === document.body) heading.current?.focus();
  }, [pathname]);
  return (
    <div className="page" data-wide={wide || undefined}>
      <header className="page-head">
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
            {title}
          </h1>
          {description && <p>{description}</p>}
        </div>
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
