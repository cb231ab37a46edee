import { Alert, Button, Skeleton } from '@mantine/core';
import { byteSize } from '@trawl/contracts';
import { Link } from 'react-router';
import type { Execution, Dashboard as Figures } from '../../../api/entities.js';
import { useDashboard, useDashboardRuns } from '../../../api/requests/get-dashboard.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RunStatus } from '../../../components/values/status.js';
import { TimeText, ZONE } from '../../../components/values/time-text.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { CardFailure } from '../failures/card-failure.js';
import { WithSharedFailures } from '../failures/shared-failures.js';
import { FirstSteps } from './first-steps.js';
import { LastErrors } from './last-errors.js';
import { NextSchedules } from './next-schedules.js';
import { QuotaFacts } from './quota-facts.js';
import { RunsChart } from './runs-chart.js';
import { WorkerSlots } from './worker-slots.js';

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

/**
 * Returns the next step that the dashboard suggests to the user; null if there are no figures yet, or no skripts: then
 * the first steps say what to do.
 */
function useNextStep(figures: Figures | undefined): NextStep | null {
  const path = usePanelPath();
  if (!figures?.skripts.newest) return null;
  const { runs, workers, free_worker: freeWorker, recent_runs: recent } = figures;
  const newest = figures.skripts.newest;
  const continueEditing = {
    title: `Continue with ${newest.title}`,
    text: 'You changed this skript last.',
    button: 'Open the editor',
    to: path('skripts', `/${newest.id}`),
  };
  const canRun = workers.online > 0;
  if (!canRun && freeWorker === 'waiting') return continueEditing;
  if (!canRun)
    return {
      title: 'No worker for your skripts is online',
      text: 'The list shows which workers can run them.',
      button: 'Show workers',
      to: path('workers'),
    };
  const failed = recent[0]?.action === 'error' ? recent[0] : null;
  if (failed)
    return {
      title: `${failed.skript.name} failed`,
      text: 'The error names the file and line.',
      button: 'See what went wrong',
      to: path('skript-executions', `/${failed.id}`),
    };
  if (runs.total === 0)
    return {
      title: `Run ${newest.title}`,
      text: 'A worker is online: start a run and watch its echoes.',
      button: 'Run it',
      to: path('execute-skript', `?skript_id=${newest.id}`),
    };
  return continueEditing;
}

/** Formats today's runs, such as `12 today, 3 with an error`. */
const todayText = ({ total, capped, error }: Figures['runs']['today']): string =>
  `${total.toLocaleString()}${capped ? '+' : ''} today${error > 0 ? `, ${error.toLocaleString()} with an error` : ''}`;

/** Explains why a new account cannot run skripts yet. */
const FreeWorkerPending = () => (
  <Alert color="blue" variant="light" mb="md" title="Your free worker is not ready yet">
    Skripts of new accounts need a worker with the full sandbox, and none is connected. The first one that connects
    becomes yours automatically. Until then you can use your database, and write and bundle skripts, but not run them.
  </Alert>
);

export function Dashboard() {
  const path = usePanelPath();
  const figures = useDashboard();
  const runs = useDashboardRuns();
  const next = useNextStep(figures.data);
  const executionHref = (id: string) => path('skript-executions', `/${id}`);

  const columns: Column<Execution>[] = [
    {
      key: 'skript',
      title: 'Skript',
      lead: true,
      render: run => (
        <Link className="cell-title" to={path('skript-executions', `/${run.id}`)}>
          {inReadingOrder(run.skript.name)}
        </Link>
      ),
    },
    {
      key: 'action',
      title: 'Status',
      brief: true,
      render: run => <RunStatus action={run.action} waiting={run.waiting_for} />,
    },
    { key: 'worker', title: 'Worker', names: true, render: run => run.worker?.name ?? '–' },
    {
      key: 'rows',
      title: 'Dataset rows',
      render: run => <span className="tabular">{run.rows.toLocaleString('en-GB')}</span>,
    },
    { key: 'created', title: `Started (${ZONE})`, brief: true, render: run => <TimeText iso={run.created_at} /> },
  ];

  return (
    <WithSharedFailures>
      {figures.data?.free_worker === 'waiting' && <FreeWorkerPending />}
      {figures.isError && !figures.data ? (
        <section className="card" aria-label="Figures">
          <CardFailure inset what="The figures" query={figures} />
        </section>
      ) : (
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
            note={({ runs: { today } }) => todayText(today)}
          />
          <Figure
            label="Running now"
            to={path('skript-executions', '?action=start')}
            query={figures}
            value={({ runs: { under_way, waiting } }) => (under_way + waiting).toLocaleString()}
            note={({ runs: { waiting } }) => (waiting > 0 ? `${waiting.toLocaleString()} waiting` : null)}
          />
          <Figure
            label="Workers online"
            to={path('workers')}
            query={figures}
            value={({ workers }) => String(workers.online)}
            note={({ workers }) => `of ${workers.total} that you can use`}
          />
          <Figure
            label="Stored in databases"
            to={path('storage')}
            query={figures}
            value={({ quotas }) => byteSize(quotas.storage_bytes.used)}
          />
        </div>
      )}
      {figures.data && <FirstSteps figures={figures.data} />}
      {next && (
        <section className="next-step" aria-label="Next step">
          <div>
            <h2>{inReadingOrder(next.title)}</h2>
            <p>{next.text}</p>
          </div>
          <Button component={Link} to={next.to} size="md" color="sea.4" c="#081820">
            {next.button}
          </Button>
        </section>
      )}
      <div className="dashboard-grid">
        <RunsChart />
        <WorkerSlots workersHref={path('workers')} executionHref={executionHref} />
        <LastErrors executionHref={executionHref} />
        <NextSchedules schedulerHref={path('scheduler')} scheduleHref={id => path('scheduler', `/${id}`)} />
      </div>
      {figures.data && <QuotaFacts quotas={figures.data.quotas} />}
      <h2 className="section-title">Recent runs</h2>
      {runs.isError && !runs.data ? (
        <section className="card" aria-label="Recent runs">
          <CardFailure inset what="The recent runs" query={runs} />
        </section>
      ) : (
        <DataTable
          label="Recent runs"
          what="The recent runs"
          columns={columns}
          query={runs}
          rowKey={run => run.id}
          empty={
            <EmptyState
              title="No runs yet"
              action={
                <Button variant="default" component={Link} to={path('execute-skript')}>
                  Execute a skript
                </Button>
              }
            >
              Your latest runs and their results appear here.
            </EmptyState>
          }
        />
      )}
    </WithSharedFailures>
  );
}
