import { useHistory } from '@docusaurus/router';
import { useEffect } from 'react';

/** Returns the link to another page of the site that contains the element. */
function pageLink({ target }: Event): HTMLAnchorElement | undefined {
  const link = (target as Element).closest?.('a');
  if (!link?.href || link.target || link.download || link.origin !== location.origin) return undefined;
  return link.getAttribute('href')?.startsWith('#') ? undefined : link;
}

/**
 * Makes the links that are written as HTML work like Docusaurus's: loads a page when the pointer is over a link to it or a
 * finger touches it, and shows it without loading the site anew.
 */
export function usePageLinks(): void {
  const history = useHistory();
  useEffect(() => {
    const preload = (event: Event) => {
      const link = pageLink(event);
      if (link) window.docusaurus.preload(link.pathname);
    };
    const open = (event: MouseEvent) => {
      const link = pageLink(event);
      const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey && event.button === 0;
      if (!link || !isPlain || event.defaultPrevented) return;
      event.preventDefault();
      history[link.href === location.href ? 'replace' : 'push'](link.pathname + link.search + link.hash);
    };
    document.addEventListener('pointerover', preload);
    document.addEventListener('click', open);
    return () => {
      document.removeEventListener('pointerover', preload);
      document.removeEventListener('click', open);
    };
  }, [history]);
}
