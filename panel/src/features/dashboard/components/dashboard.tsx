import { Alert, Button, Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import type { Execution, Dashboard as Figures } from '../../../api/entities.js';
import { useDashboard, useDashboardRuns } from '../../../api/requests/get-dashboard.js';
import { type Column, DataTable } from '../../../components/data-table.js';
import { usePanelPath } from '../../../components/panel-path.js';
import { EmptyState, ErrorState } from '../../../components/states.js';
import { ActionStatus } from '../../../components/status.js';
import { TimeText, ZONE } from '../../../components/time-text.js';

interface FigureProps {
  label: string;
  to: string;
  query: ReturnType<typeof useDashboard>;
  value: (figures: Figures) => string;
  note?: (figures: Figures) => string | null;
}

function Figure({ label, to, query, value, note }: FigureProps) {
  return (
    <Link className="figure card" to={to}>
      <span className="figure-label">{label}</span>
      {query.data ? (
        <span className="figure-value tabular">
          {value(query.data)}
          {note?.(query.data) && <span className="figure-note">{note(query.data)}</span>}
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

/** What this account most likely wants to do now. */
function useNextStep(figures: Figures | undefined): NextStep | null {
  const path = usePanelPath();
  if (!figures) return null;
  const { skripts, runs, workers, free_worker: freeWorker, recent_runs: recent } = figures;
  const newest = skripts.newest;
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
  const canRun = workers.online > 0;
  if (!canRun && freeWorker === 'waiting') return goOn;
  if (!canRun)
    return {
      title: 'No worker for your skripts is online',
      text: 'The list says which workers may run them.',
      button: 'See the workers',
      to: path('workers'),
    };
  const failed = recent[0]?.action === 'error' ? recent[0] : null;
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
  const figures = useDashboard();
  const runs = useDashboardRuns();
  const next = useNextStep(figures.data);

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
      {figures.data?.free_worker === 'waiting' && <FreeWorkerToCome />}
      {figures.isError && !figures.data && (
        <ErrorState what="The figures" error={figures.error} onRetry={() => void figures.refetch()} />
      )}
      <div className="figures">
        <Figure
          label="Skripts"
          to={path('skripts')}
          query={figures}
          value={({ skripts }) => skripts.total.toLocaleString()}
        />
        <Figure
          label="Runs"
          to={path('skript-executions')}
          query={figures}
          value={({ runs: { total, total_capped } }) => `${total.toLocaleString()}${total_capped ? '+' : ''}`}
          note={({ runs: { today } }) => `${today.total.toLocaleString()}${today.capped ? '+' : ''} today`}
        />
        <Figure
          label="Running now"
          to={path('skript-executions', '?action=start')}
          query={figures}
          value={({ runs: { under_way, waiting } }) => (under_way + waiting).toLocaleString()}
          note={({ runs: { waiting } }) => (waiting > 0 ? `${waiting.toLocaleString()} of them waiting` : null)}
        />
        <Figure
          label="Workers online"
          to={path('workers')}
          query={figures}
          value={({ workers }) => String(workers.online)}
          note={({ workers }) => `of ${workers.total} for you`}
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
