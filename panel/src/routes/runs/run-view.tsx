import '../../styles/runs/run.css';
import { Alert, Button, Group, Skeleton } from '@mantine/core';
import { countText, isLive } from '@trawl/contracts';
import { Link } from 'react-router';
import { useExecution } from '../../api/requests/get-execution.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { RunDuration } from '../../components/runs/run-duration.js';
import { storedRows } from '../../components/runs/stored-rows.js';
import { RunStatus, WaitingText } from '../../components/values/status.js';
import { RunEchoes } from '../../features/echoes/components/run-echoes.js';
import { RunControls } from '../../features/skript-executions/components/run-controls.js';
import { hasFailed, RunFailure } from '../../features/skript-executions/components/run-failure.js';
import { RunOutput } from '../../features/skript-executions/components/run-output.js';
import { usePanelPath } from '../../session/panel-path.js';
import { placePath } from './place-path.js';

/** Shows a live run with its echoes, or its result and saved echoes after it has ended. */
export function RunView({ executionId }: { executionId: string }) {
  const path = usePanelPath();
  const query = useExecution(executionId);
  const execution = query.data;
  if (query.isError && !execution)
    return <LoadFailure inset noun="run" listHref={path('skript-executions')} listLabel="All runs" query={query} />;
  if (!execution) return <Skeleton height={220} m="md" w="auto" />;
  const rows = storedRows(execution);
  const runHref = path('skript-executions', `/${execution.id}`);

  return (
    <section className="run-view" aria-label="This run">
      <header className="run-head">
        <Group gap="md">
          <RunStatus action={execution.action} waiting={execution.waiting_for} />
          <span className="run-where">
            <RunDuration run={execution} />
          </span>
          <span className="run-where">{execution.worker ? `on ${execution.worker.name}` : 'no worker chosen yet'}</span>
        </Group>
        <Group gap="xs">
          <RunControls execution={execution} />
          {rows > 0 && (
            <Button size="xs" variant="default" component={Link} to={`${runHref}?tab=rows`}>
              {countText(rows, 'row')}
            </Button>
          )}
          <Button size="xs" variant="default" component={Link} to={runHref}>
            Details
          </Button>
        </Group>
      </header>
      {execution.action === 'pause' && (
        <Alert color="yellow" variant="light" role="status" m="xs" p="xs">
          The run is paused, and so is its time limit. Resume it to continue.
        </Alert>
      )}
      {execution.waiting_for && execution.action === 'start' && (
        <Alert color="yellow" variant="light" role="status" m="xs" p="xs">
          The run waits: <WaitingText waiting={execution.waiting_for} />.
        </Alert>
      )}
      <div className="run-result">
        {hasFailed(execution) ? (
          <RunFailure execution={execution} placeHref={place => placePath(path, execution, place)} />
        ) : (
          !isLive(execution.action) && <RunOutput execution={execution} />
        )}
        <RunEchoes executionId={execution.id} action={execution.action} />
      </div>
    </section>
  );
}
