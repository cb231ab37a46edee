import { Skeleton } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { formatJson } from '../../../components/code/format-json.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useExchange } from './exchanges.js';

type Exchange = NonNullable<ReturnType<typeof useExchange>['data']>;
type Body = Exchange['body'];

const headerOf = (headers: string[][], wanted: string): string =>
  headers.find(([name]) => name?.toLowerCase() === wanted)?.[1] ?? '';

function Headers({ headers }: { headers: string[][] }) {
  return (
    <dl className="exchange-headers">
      {headers.map(([name, value], index) => (
        // Names may repeat, and their order never changes.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SourceProps {
  label: string;
  /** Name of the part for assistive technology, if several on the page have this label. */
  name?: string;
  body: Body;
  type: string;
}

/** The source of a body. It is only text here: the panel never renders a page that a run has seen. */
export function Source({ label, name = label, body, type }: SourceProps) {
  if (!body) return null;
  const isText = body.encoding === 'text';
  const text = isText ? (/\bjson\b/.test(type) ? formatJson(body.data) : body.data) : body.data;
  return (
    <>
      <h4>{isText ? label : `${label}, in base64`}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard */}
      <section className="exchange-source" tabIndex={0} aria-label={name}>
        <pre>{text}</pre>
      </section>
    </>
  );
}

function bodyNote({ body, body_bytes: bytes, is_cut: isCut, error, status }: Exchange): string | null {
  if (error !== null) return error;
  if (status === null) return 'No answer came before the run ended.';
  if (isCut) return body ? 'A body is cut: Trawl keeps 256 KB of each.' : 'The body was too large to keep.';
  return bytes === 0 ? 'The answer has no body.' : null;
}

/** The request and the answer of one exchange. */
export function ExchangeDetails({ executionId, sequence }: { executionId: string; sequence: number }) {
  const query = useExchange(executionId, sequence);
  if (query.isError && !query.data)
    return <ErrorState what="The exchange could not be loaded" error={query.error} onRetry={() => query.refetch()} />;
  const exchange = query.data;
  if (!exchange) return <Skeleton height={160} />;
  const { request_headers: sent, response_headers: received, body_bytes: bytes } = exchange;
  const note = bodyNote(exchange);
  return (
    <div className="exchange-details">
      {note !== null && <p className="exchange-note">{note}</p>}
      <h3>Request</h3>
      <p className="exchange-url mono">
        {exchange.method} {exchange.url}
      </p>
      <Headers headers={sent} />
      <Source
        label="Request body"
        name={`Request body ${sequence}`}
        body={exchange.request_body}
        type={headerOf(sent, 'content-type')}
      />
      <h3>
        Answer{exchange.status !== null && ` ${exchange.status} ${exchange.status_text}`}
        {bytes > 0 && <span className="cell-sub tabular"> {byteSize(bytes)}</span>}
      </h3>
      <Headers headers={received} />
      <Source label="Body" name={`Body ${sequence}`} body={exchange.body} type={exchange.content_type} />
    </div>
  );
}
