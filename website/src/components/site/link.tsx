import isInternalUrl from '@docusaurus/isInternalUrl';
import type { Props } from '@docusaurus/Link';
import { useLocation } from '@docusaurus/router';
import useBrokenLinks from '@docusaurus/useBrokenLinks';
import { NEW_TAB, pageUrl } from './page-url';

/**
 * Replaces Docusaurus's component, which observes each link on a page to prefetch its target. Root.tsx opens pages of the
 * site without loading them anew.
 */
export default function Link({
  to,
  href,
  isNavLink,
  isActive,
  activeClassName,
  autoAddBaseUrl: _,
  'data-noBrokenLinkCheck': isUnchecked,
  ...props
}: Props) {
  const { collectLink, collectAnchor } = useBrokenLinks();
  const written = to ?? href;
  const isInternal = isInternalUrl(written);
  const target = isInternal ? pageUrl(written ?? '') : written?.replace('pathname://', '');
  if (isInternal && !isUnchecked && !props.target) collectLink(target);
  if (props.id) collectAnchor(props.id);
  const current = useLocation();
  const isCurrent = isNavLink && (isActive?.(null, current) ?? `${current.pathname}/`.startsWith(`${target}/`));
  return (
    <a
      {...(!isInternal && written && NEW_TAB)}
      {...(isCurrent && { 'aria-current': 'page' })}
      {...props}
      className={isCurrent ? [props.className, activeClassName].filter(Boolean).join(' ') : props.className}
      href={target}
    />
  );
}
