import Link from '@docusaurus/Link';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import type { ReactNode } from 'react';

/** Link to the panel. The panel is a separate app, so Docusaurus must not route or check the link. */
export function PanelLink({ className, children }: { className?: string; children: ReactNode }) {
  const { panelHref } = useDocusaurusContext().siteConfig.customFields as { panelHref: string };
  return (
    <Link className={className} href={panelHref} target="_self">
      {children}
    </Link>
  );
}
