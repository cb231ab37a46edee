import { Group } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
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

/** One screen of a section: heading, what may be done here, content. Names the browser's tab as well. */
export function Page({ title, description, crumbs, actions, wide, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Trawl`;
  }, [title]);
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
          <h1>{title}</h1>
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
