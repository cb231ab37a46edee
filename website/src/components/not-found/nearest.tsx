import Link from '@docusaurus/Link';
import { NOT_FOUND } from '@site/content/pages/not-found';
import type { ListedPage } from '@site/src/plugins/output/built-pages';
import { useEffect, useState } from 'react';
import { nearestPages } from './nearest-pages';

/** Suggests pages whose addresses are like the one that does not exist. Empty until the list of pages is loaded. */
export function Nearest() {
  const [nearest, setNearest] = useState<ListedPage[]>([]);
  useEffect(() => {
    const loading = new AbortController();
    fetch('/pages.json', { signal: loading.signal })
      .then(response => (response.ok ? response.json() : []))
      .then((pages: ListedPage[]) => setNearest(nearestPages(window.location.pathname, pages)))
      // The page is complete without suggestions.
      .catch(() => {});
    return () => loading.abort();
  }, []);
  if (nearest.length === 0) return null;
  return (
    <section className="section">
      <div className="container">
        <h2>{NOT_FOUND.nearest}</h2>
        <ul className="tiles">
          {nearest.map(({ to, title }) => (
            <li key={to}>
              <Link to={to}>{title}</Link>
              <p>{to}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
