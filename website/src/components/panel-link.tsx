import Link from '@docusaurus/Link';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import type { ReactNode } from 'react';

/** A link to the panel, which is another app: the browser loads it, Docusaurus neither routes nor checks it. */
export function PanelLink({ className, children }: { className?: string; children: ReactNode }) {
  const { panelHref } = useDocusaurusContext().siteConfig.customFields as { panelHref: string };
  return (
    <Link className={className} href={panelHref} target="_self">
      {children}
    </Link>
  );
}
