import '../../../styles/runs/exchanges.css';
import { Button, Skeleton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { byteSize, isLive } from '@trawl/contracts';
import { useState } from 'react';
import type { Execution } from '../../../api/entities.js';
import { EmptyState, ErrorState } from '../../../components/feedback/states.js';
import { ExchangeDetails } from './exchange-details.js';
import { isKept, useDownloadExchanges, useExchanges } from './exchanges.js';
import { PageSeen } from './page-seen.js';

type Exchange = NonNullable<ReturnType<typeof useExchanges>['data']>['items'][number];

function whyNothing(execution: Execution): { title: string; text: string } {
  if (isLive(execution.action))
    return { title: 'The run is live', text: 'If it fails, its last HTTP exchanges appear here.' };
  if (!isKept(execution))
    return {
      title: 'Nothing was kept',
      text: 'Trawl keeps the last HTTP exchanges only of runs that fail or whose rows are broken.',
    };
  return {
    title: 'Nothing was kept',
    text: 'The run made no requests, its process was killed, or keeping exchanges is off in the settings of the skript.',
  };
}

const toneOf = ({ status, error }: Exchange): string => {
  if (error !== null || status === null || status >= 400) return 'error';
  return status >= 300 ? 'warn' : 'ok';
};

function ExchangeRow({ executionId, exchange }: { executionId: string; exchange: Exchange }) {
  const [isOpen, setOpen] = useState(false);
  const { sequence, method, url, status, duration_ms: ms, body_bytes: bytes, error } = exchange;
  return (
    <li>
      <button type="button" className="exchange-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span className="exchange-status tabular" data-tone={toneOf(exchange)}>
          {status ?? (error === null ? 'open' : 'failed')}
        </span>
        <span className="mono exchange-method">{method}</span>
        <span className="mono exchange-url">{url}</span>
        <span className="cell-sub tabular exchange-figures">
          {ms === null ? '' : `${ms.toLocaleString('en-GB')} ms`}
          {bytes > 0 && ` · ${byteSize(bytes)}`}
        </span>
      </button>
      {isOpen && <ExchangeDetails executionId={executionId} sequence={sequence} />}
    </li>
  );
}

/** The last HTTP exchanges of a failed or broken run, and the page that its browser showed last. */
export default function ExchangesTab({ execution }: { execution: Execution }) {
  const query = useExchanges(execution);
  const saving = useDownloadExchanges();
  if (query.isError && !query.data)
    return <ErrorState what="The exchanges could not be loaded" error={query.error} onRetry={() => query.refetch()} />;
  if (query.isLoading) return <Skeleton height={320} radius={10} />;
  const { items, page } = query.data ?? { items: [], page: null };
  if (items.length === 0 && page === null) {
    const { title, text } = whyNothing(execution);
    return <EmptyState title={title}>{text}</EmptyState>;
  }
  return (
    <>
      {page !== null && <PageSeen page={page} />}
      {items.length > 0 && (
        <section className="card result" aria-label="HTTP exchanges">
          <header>
            <h2>HTTP exchanges</h2>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} aria-hidden />}
              loading={saving.isPending}
              onClick={() => saving.mutate(execution.id)}
            >
              Download HAR
            </Button>
          </header>
          <p className="exchange-note">
            The last {items.length} of the run, oldest first. Secrets of the run, cookies and authorisation headers are
            removed.
          </p>
          <ul className="exchanges">
            {items.map(exchange => (
              <ExchangeRow key={exchange.sequence} executionId={execution.id} exchange={exchange} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
