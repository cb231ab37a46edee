import '../../styles/editor.css';
import '../../styles/runs/runs.css';
import '../../styles/runs/start.css';
import '../../styles/skripts.css';
import { type ReactNode, Suspense } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { DEFAULT_INPUT, DEFAULT_INPUT_SECRET, defaultInputId } from '../../api/default-input.js';
import type { Skript } from '../../api/entities.js';
import { useSkript } from '../../api/requests/get-skript.js';
import { useInputSecrets } from '../../api/requests/inputs/list-input-secrets.js';
import { useInputs } from '../../api/requests/inputs/list-inputs.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { PageShape } from '../../components/feedback/page-shape.js';
import { lazyScreen } from '../../components/lazy-screen.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { Page } from '../../components/page/page.js';
import { NO_ECHO_FILTER } from '../../features/echoes/echo-place.js';
import { useStartRun } from '../../features/execute-skript/api/start-run.js';
import { StartFailure } from '../../features/execute-skript/components/start-failure.js';
import { useDeleteSkript } from '../../features/skripts/api/delete-skript.js';
import { confirmDeleteSkript } from '../../features/skripts/components/confirm-delete-skript.js';
import { HeadFacts } from '../../features/skripts/home/head-facts.js';
import { SkriptHome } from '../../features/skripts/home/skript-home.js';
import { SkriptMenu } from '../../features/skripts/home/skript-menu.js';
import { usePanelPath } from '../../session/panel-path.js';
import { RunView } from '../runs/run-view.js';
import { ExportItem } from './export-item.js';
import { ReplayMenu } from './replay-menu.js';
import { useRunProblem } from './use-run-problem.js';

const RunsTab = lazyScreen(() => import('./runs-tab.js'));
const DataTab = lazyScreen(() => import('./data-tab.js'));
const SchedulesTab = lazyScreen(() => import('./schedules-tab.js'));
const AlertsTab = lazyScreen(() => import('./alerts-tab.js'));

const loading = (content: ReactNode) => <Suspense fallback={<PageShape what="the tab" />}>{content}</Suspense>;

function Home({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const navigate = useNavigate();
  const inputs = useInputs(skript.id);
  const secrets = useInputSecrets(skript.id);
  const start = useStartRun();
  const remove = useDeleteSkript();
  const params = useUrlParams();
  // In the address, so that the run is still there after a look at its page.
  const executionId = params.get('execution_id');
  const runProblem = useRunProblem(skript, executionId);

  const showRun = (id: string) => params.set({ ...NO_ECHO_FILTER, execution_id: id });
  const inputId = defaultInputId(inputs.data?.items, DEFAULT_INPUT);
  const run = (force = false) =>
    start.mutate(
      {
        skript_id: skript.id,
        worker_ids: ['any'],
        force,
        input: {
          from: 'stored',
          input_id: inputId,
          inputSecret_id: defaultInputId(secrets.data?.items, DEFAULT_INPUT_SECRET),
        },
      },
      { onSuccess: execution => showRun(execution.id) },
    );
  const confirmDeletion = () =>
    confirmDeleteSkript(skript, () => remove.mutate(skript.id, { onSuccess: () => void navigate(path('skripts')) }));

  return (
    <SkriptHome
      skript={skript}
      crumbs={<Link to={path('skripts')}>Skripts</Link>}
      facts={<HeadFacts skriptId={skript.id} runHref={id => path('skript-executions', `/${id}`)} />}
      menu={
        <SkriptMenu
          skript={skript}
          executeHref={path('execute-skript', `?skript_id=${skript.id}`)}
          exportItem={<ExportItem skriptId={skript.id} />}
          onDelete={confirmDeletion}
        />
      }
      onRun={() => run()}
      renderReplay={saveAnd => <ReplayMenu skriptId={skript.id} saveAnd={saveAnd} onStarted={showRun} />}
      inputName={inputs.data?.items.find(({ id }) => id === inputId)?.name ?? null}
      isStarting={start.isPending}
      startError={start.error}
      renderStartFailure={onOpenProblem => (
        <StartFailure
          error={start.error}
          executionHref={id => path('skript-executions', `/${id}`)}
          onForce={() => run(true)}
          onOpenProblem={onOpenProblem}
        />
      )}
      runProblem={runProblem}
      onDelete={confirmDeletion}
      runId={executionId}
      run={executionId && <RunView key={executionId} executionId={executionId} />}
      panels={{
        runs: loading(<RunsTab skript={skript} />),
        data: loading(<DataTab skript={skript} />),
        schedules: loading(<SchedulesTab skript={skript} />),
        alerts: loading(<AlertsTab skript={skript} />),
      }}
    />
  );
}

export default function SkriptRoute() {
  const { skriptId = '' } = useParams();
  const path = usePanelPath();
  const query = useSkript(skriptId);
  if (query.data) return <Home key={query.data.id} skript={query.data} />;
  return (
    <Page title="Skript" crumbs={<Link to={path('skripts')}>Skripts</Link>} facts={<span className="facts-line" />}>
      {query.isError ? (
        <LoadFailure noun="skript" listHref={path('skripts')} listLabel="All skripts" query={query} />
      ) : (
        <PageShape what="the skript" tabs={6} lines={14} />
      )}
    </Page>
  );
}
