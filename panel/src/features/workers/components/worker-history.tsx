import { Modal, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import type { Worker } from '../../../api/entities.js';
import { LinePlot } from '../../../components/chart/line-plot.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useIsAdmin } from '../../../session/use-is-admin.js';
import { useWorkerHistory } from '../api/worker-history.js';

/** Names of the lines, and the number of a sample in each. Null draws nothing at that time. */
const LINES: [title: string, value: (sample: Sample) => number | null][] = [
  ['CPU in use, %', ({ cpu }) => cpu && Math.round(cpu * 100)],
  ['Memory in use, %', ({ memory }) => memory && Math.round(memory * 100)],
  ['Runs at once', ({ runs, is_online: isOnline }) => (isOnline ? runs : null)],
];

type Sample = NonNullable<ReturnType<typeof useWorkerHistory>['data']>['samples'][number];

/** Says for how much of the time the worker was offline. */
function onlineWords(samples: readonly Sample[]): string {
  if (samples.length === 0) return 'There is no sample yet. Trawl takes one every five minutes while it runs.';
  const offline = samples.filter(({ is_online: isOnline }) => !isOnline).length;
  const of = `of ${samples.length} samples, one every five minutes`;
  return offline === 0 ? `Online in all ${of}.` : `Offline in ${offline} ${of}.`;
}

function History({ worker }: { worker: Worker }) {
  const query = useWorkerHistory(worker.id);
  if (query.isError && !query.data)
    return <ErrorState what="The history could not be loaded" error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data) return <Skeleton height={360} radius={10} />;
  const { samples } = query.data;
  return (
    <>
      <p className="tab-note">{onlineWords(samples)}</p>
      {LINES.map(([title, figureOf]) => {
        const points = samples.flatMap(sample => {
          const value = figureOf(sample);
          return value === null ? [] : [{ at: sample.at, value }];
        });
        return (
          points.length > 0 && (
            <section key={title} className="line-chart" aria-label={title}>
              <h3 className="tab-title">{title}</h3>
              <LinePlot points={points} label={`${title}, ${worker.name}`} />
            </section>
          )
        );
      })}
    </>
  );
}

/** The worker's name, which opens its last day. */
export function WorkerName({ worker }: { worker: Worker }) {
  const [isOpen, setOpen] = useState(false);
  const { role = '' } = useParams();
  const runs = `/${role}/${useIsAdmin() ? 'all-runs' : 'skript-executions'}?worker_id=${worker.id}`;
  return (
    <>
      <button type="button" className="cell-title cell-button" title="Show its last day" onClick={() => setOpen(true)}>
        {worker.name}
      </button>
      {isOpen && (
        <Modal
          opened
          onClose={() => setOpen(false)}
          size="lg"
          title={`The last day of ${worker.name}`}
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          <History worker={worker} />
          <Link className="link" to={runs}>
            Runs on this worker
          </Link>
        </Modal>
      )}
    </>
  );
}
