import { Source } from './exchange-details.js';
import type { useExchanges } from './exchanges.js';

type Page = NonNullable<NonNullable<ReturnType<typeof useExchanges>['data']>['page']>;

/** The page that the browser of a run showed last: picture, console and source. */
export function PageSeen({ page: { title, url, picture, html, console: lines } }: { page: Page }) {
  return (
    <section className="card result" aria-label="Last page">
      <h2>Last page</h2>
      <p className="exchange-url">
        {title} <span className="mono">{url}</span>
      </p>
      {picture === null ? (
        <p>The page did not answer in time for a screenshot.</p>
      ) : (
        <img className="page-picture" src={picture} alt={`Screenshot of ${title || url}`} />
      )}
      {lines.length > 0 && (
        <>
          <h3>Console</h3>
          <ul className="page-console mono">
            {lines.map(({ type, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
              <li key={index} data-type={type}>
                <span>{type}</span> {text}
              </li>
            ))}
          </ul>
        </>
      )}
      <Source
        label="Source of the page"
        body={html === null ? null : { encoding: 'text', data: html }}
        type="text/html"
      />
    </section>
  );
}
