import { Alert, Button, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Account, Execution, Listed, Skript, Worker } from '../../../api/entities.js';
import { useAccount } from '../../../api/requests/get-account.js';
import { useExecutions } from '../../../api/requests/list-executions.js';
import { useSkripts } from '../../../api/requests/list-skripts.js';
import { useWorkers } from '../../../api/requests/list-workers.js';
import { type Column, DataTable } from '../../../components/data-table.js';
import { usePanelPath } from '../../../components/panel-path.js';
import { EmptyState, ErrorState } from '../../../components/states.js';
import { ActionStatus } from '../../../components/status.js';
import { TimeText, ZONE } from '../../../components/time-text.js';

interface FigureProps<T> {
  label: string;
  to: string;
  query: UseQueryResult<Listed<T>>;
  value: (list: Listed<T>) => string;
  note?: (list: Listed<T>) => string;
}

const total = ({ total: count, total_capped }: Listed<unknown>): string =>
  `${count.toLocaleString()}${total_capped ? '+' : ''}`;

function Figure<T>({ label, to, query, value, note }: FigureProps<T>) {
  if (query.isError && !query.data)
    return <ErrorState what={`${label}: not loaded`} error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Link className="figure card" to={to}>
      <span className="figure-label">{label}</span>
      {query.data ? (
        <span className="figure-value tabular">
          {value(query.data)}
          {note && <span className="figure-note">{note(query.data)}</span>}
        </span>
      ) : (
        <Skeleton height={30} width={60} my={5} />
      )}
    </Link>
  );
}

interface NextStep {
  title: string;
  text: string;
  button: string;
  to: string;
}

interface Known {
  account?: Account;
  skripts?: Listed<Skript>;
  runs?: Listed<Execution>;
  workers?: Listed<Worker>;
}

const isOnline = (worker: Worker): boolean => worker.status === 'online';
const usable = ({ items }: Listed<Worker>): Worker[] => items.filter(worker => worker.usable);

/** What this account most likely wants to do now. */
function useNextStep({ account, skripts, runs, workers }: Known): NextStep | null {
  const path = usePanelPath();
  if (!account || !skripts || !runs || !workers) return null;
  const newest = skripts.items[0];
  if (!newest)
    return {
      title: 'Write your first skript',
      text: 'A skript is a main.js with one function. Trawl runs it on a worker and keeps what it returns.',
      button: 'New skript',
      to: path('skripts', '?new=1'),
    };
  const goOn = {
    title: `Go on with ${newest.title}`,
    text: 'It was changed last.',
    button: 'Open the editor',
    to: path('skripts', `/${newest.id}`),
  };
  const canRun = usable(workers).some(isOnline);
  if (!canRun && account.free_worker === 'waiting') return goOn;
  if (!canRun)
    return {
      title: 'No worker for your skripts is online',
      text: 'The list says which workers may run them.',
      button: 'See the workers',
      to: path('workers'),
    };
  const failed = runs.items[0]?.action === 'error' ? runs.items[0] : null;
  if (failed)
    return {
      title: `${failed.skript.name} ended with an error`,
      text: 'The details name the file and the line.',
      button: 'See what went wrong',
      to: path('skript-executions', `/${failed.id}`),
    };
  if (runs.total === 0)
    return {
      title: `Run ${newest.title}`,
      text: 'It is written and a worker is online: start it and watch its echoes.',
      button: 'Run it',
      to: path('execute-skript', `?skript_id=${newest.id}`),
    };
  return goOn;
}

/** Why an account from the sign-up form cannot run anything yet. */
const FreeWorkerToCome = () => (
  <Alert color="blue" variant="light" mb="md" title="Your free worker is still to come">
    Of your FREE PACK the database is open. The worker must have the full sandbox, which code of new accounts needs, and
    none that has it is connected: the first that is becomes yours by itself. Until then you can write and bundle
    skripts, and start none.
  </Alert>
);

export function Dashboard() {
  const path = usePanelPath();
  const skripts = useSkripts({ limit: 1, sort: '-updated_at' });
  const runs = useExecutions({ limit: 8, sort: '-created_at' });
  const running = useExecutions({ limit: 1, action: 'start' });
  const workers = useWorkers({ limit: 1000 });
  const account = useAccount();
  const next = useNextStep({ account: account.data, skripts: skripts.data, runs: runs.data, workers: workers.data });

  const columns: Column<Execution>[] = [
    {
      key: 'skript',
      title: 'Skript',
      lead: true,
      render: run => (
        <Link className="cell-title" to={path('skript-executions', `/${run.id}`)}>
          {run.skript.name}
        </Link>
      ),
    },
    { key: 'action', title: 'Action', render: run => <ActionStatus action={run.action} waiting={run.waiting_for} /> },
    { key: 'worker', title: 'Worker', render: run => run.worker?.name ?? '–' },
    { key: 'created', title: `Started (${ZONE})`, render: run => <TimeText iso={run.created_at} /> },
  ];

  return (
    <>
      {account.data?.free_worker === 'waiting' && <FreeWorkerToCome />}
      <div className="figures">
        <Figure label="Skripts" to={path('skripts')} query={skripts} value={total} />
        <Figure label="Runs" to={path('skript-executions')} query={runs} value={total} />
        <Figure label="Running now" to={path('skript-executions', '?action=start')} query={running} value={total} />
        <Figure
          label="Workers online"
          to={path('workers')}
          query={workers}
          value={list => String(usable(list).filter(isOnline).length)}
          note={list => `of ${usable(list).length} for you`}
        />
      </div>
      {next && (
        <section className="next-step" aria-label="Next step">
          <div>
            <h2>{next.title}</h2>
            <p>{next.text}</p>
          </div>
          <Button component={Link} to={next.to} size="md" color="sea.4" c="#081820">
            {next.button}
          </Button>
        </section>
      )}
      <h2 className="section-title">Recent runs</h2>
      <DataTable
        label="Recent runs"
        what="The recent runs"
        columns={columns}
        query={runs}
        rowKey={run => run.id}
        empty={
          <EmptyState
            title="Nothing has run yet"
            action={
              <Button variant="default" component={Link} to={path('execute-skript')}>
                Execute a skript
              </Button>
            }
          >
            The latest runs and how they ended will be listed here.
          </EmptyState>
        }
      />
    </>
  );
}
