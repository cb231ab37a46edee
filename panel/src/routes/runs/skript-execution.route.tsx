import '../../styles/runs/runs.css';
import { Button, Menu } from '@mantine/core';
import { isLive } from '@trawl/contracts';
import type { ReactNode } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { useFollowedExecution } from '../../api/requests/get-execution.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { PageShape } from '../../components/feedback/page-shape.js';
import { RowMenu } from '../../components/list/row-menu.js';
import { Page } from '../../components/page/page.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { useDeleteExecution } from '../../features/skript-executions/api/delete-execution.js';
import { useLastGoodRun } from '../../features/skript-executions/api/last-good-run.js';
import { ReplayComparison } from '../../features/skript-executions/changes/replay-comparison.js';
import { ReplayButton } from '../../features/skript-executions/components/replay-button.js';
import { RunControls } from '../../features/skript-executions/components/run-controls.js';
import { runTargets } from '../../features/skript-executions/run-targets.js';
import { usePanelPath } from '../../session/panel-path.js';
import { RowsButton } from './rows-button.js';
import { RunTabs } from './run-tabs.js';

/** Returns the query of the form that starts the same run again: same worker, same input, same saved input secret. */
const sameRun = ({ id, skript, worker, input, input_value: typed, inputSecret }: Execution): string =>
  `?${new URLSearchParams({
    skript_id: skript.id,
    worker_id: worker?.id ?? 'any',
    input_id: input?.id ?? '',
    inputSecret_id: inputSecret?.id ?? '',
    ...(typed === undefined || typed === null ? {} : { input_of: id }),
  })}`;

interface RunMenuProps {
  execution: Execution;
  /** Path of the comparison with another run. */
  comparison: string;
}

/** The rarer actions on a run. */
function RunMenu({ execution: { id, action }, comparison }: RunMenuProps) {
  const navigate = useNavigate();
  const path = usePanelPath();
  const remove = useDeleteExecution();
  const confirmDeletion = () =>
    confirmDelete({
      title: 'Delete this run?',
      children:
        'This permanently deletes the run with its output and saved echoes. Data that it stored in databases remains.',
      confirmLabel: 'Delete run',
      onConfirm: () => remove.mutate(id, { onSuccess: () => void navigate(path('skript-executions')) }),
    });
  return (
    <RowMenu of="this run" isBusy={remove.isPending}>
      <Menu.Item component={Link} to={comparison}>
        Compare with another run
      </Menu.Item>
      {!isLive(action) && (
        <Menu.Item color="red" onClick={confirmDeletion}>
          Delete…
        </Menu.Item>
      )}
    </RowMenu>
  );
}

interface RunPageProps {
  title: string;
  facts?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

function RunPage({ title, facts, actions, children }: RunPageProps) {
  const path = usePanelPath();
  return (
    <Page
      title={title}
      crumbs={<Link to={path('skript-executions')}>Skript executions</Link>}
      facts={facts}
      actions={actions}
    >
      {children}
    </Page>
  );
}

function LoadedRun({ execution }: { execution: Execution }) {
  const { id, skript, replay_of: original } = execution;
  const path = usePanelPath();
  const navigate = useNavigate();
  const lastGood = useLastGoodRun(execution);
  // A replay stores less than any good run.
  const targets = runTargets(execution, original === null ? lastGood : null);
  const other = original ?? lastGood?.id;
  const compared = new URLSearchParams({ one: id, ...(other && { other }) });
  return (
    <RunPage
      title={inReadingOrder(skript.name)}
      facts={
        <span className="facts-line">
          <Link className="link" to={path('skripts', `/${skript.id}`)}>
            Open the skript
          </Link>
        </span>
      }
      actions={
        <>
          <RunControls execution={execution} size="sm" />
          <RowsButton execution={execution} targets={targets} />
          <Button component={Link} to={path('execute-skript', sameRun(execution))}>
            Execute again
          </Button>
          <ReplayButton
            execution={execution}
            onStarted={replay => void navigate(path('skript-executions', `/${replay}`))}
          />
          <RunMenu execution={execution} comparison={path('skript-executions', `/compare?${compared}`)} />
        </>
      }
    >
      <RunTabs execution={execution} lastGood={lastGood} targets={targets}>
        {original !== null && (
          <ReplayComparison
            replay={execution}
            originalId={original}
            originalHref={path('skript-executions', `/${original}`)}
          />
        )}
      </RunTabs>
    </RunPage>
  );
}

export default function SkriptExecutionRoute() {
  const { executionId = '' } = useParams();
  const path = usePanelPath();
  const query = useFollowedExecution(executionId);
  if (query.data) return <LoadedRun key={query.data.id} execution={query.data} />;
  return (
    <RunPage title="Run">
      {query.isError ? (
        <LoadFailure noun="run" listHref={path('skript-executions')} listLabel="Skript executions" query={query} />
      ) : (
        <PageShape what="the run" facts={6} tabs={7} />
      )}
    </RunPage>
  );
}
