import '../../styles/runs/runs.css';
import { Button, Skeleton } from '@mantine/core';
import { isLive } from '@trawl/contracts';
import { Link, useNavigate, useParams } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { useLatestRuns } from '../../api/requests/list-latest-runs.js';
import { confirmDelete } from '../../components/feedback/confirm-delete.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { FocusableButton } from '../../components/focusable-button.js';
import { Page } from '../../components/page/page.js';
import { RunStrip } from '../../components/runs/run-strip.js';
import { RunEchoes } from '../../features/echoes/components/run-echoes.js';
import { useDeleteExecution } from '../../features/skript-executions/api/delete-execution.js';
import { Attempts } from '../../features/skript-executions/components/attempts.js';
import { ExecutionDetails, RunSummary } from '../../features/skript-executions/components/execution-details.js';
import { ExecutionResult } from '../../features/skript-executions/components/execution-result.js';
import { RunControls } from '../../features/skript-executions/components/run-controls.js';
import { RunWrites } from '../../features/skript-executions/components/run-writes.js';
import { usePanelPath } from '../../session/panel-path.js';
import { placePath } from './place-path.js';

/** Returns the query of the form that starts the same run again: same worker, same input, same saved input secret. */
const sameRun = ({ id, skript, worker, input, input_value: typed, inputSecret }: Execution): string =>
  `?${new URLSearchParams({
    skript_id: skript.id,
    worker_id: worker?.id ?? 'any',
    input_id: input?.id ?? '',
    inputSecret_id: inputSecret?.id ?? '',
    ...(typed === undefined || typed === null ? {} : { input_of: id }),
  })}`;

/** The last runs of the skript, with this one marked. */
function LastRuns({ execution, href }: { execution: Execution; href: string }) {
  const latest = useLatestRuns([execution.skript.id]).data?.items ?? [];
  if (latest.length < 2) return null;
  return (
    <section className="card last-runs" aria-label="Last runs of this skript">
      <h2>Last runs of this skript</h2>
      <RunStrip runs={latest} href={href} markedId={execution.id} />
    </section>
  );
}

export default function SkriptExecutionRoute() {
  const { executionId = '' } = useParams();
  const navigate = useNavigate();
  const path = usePanelPath();
  const query = useExecution(executionId);
  const remove = useDeleteExecution();
  const execution = query.data;

  const confirmDeletion = () =>
    confirmDelete({
      title: 'Delete this run?',
      children:
        'This permanently deletes the run with its output and saved echoes. Data that it stored in databases remains.',
      confirmLabel: 'Delete run',
      onConfirm: () => remove.mutate(executionId, { onSuccess: () => void navigate(path('skript-executions')) }),
    });

  return (
    <Page
      title={execution ? execution.skript.name : 'Run'}
      crumbs={<Link to={path('skript-executions')}>Skript executions</Link>}
      actions={
        execution && (
          <>
            <RunControls execution={execution} size="sm" />
            <Button component={Link} to={path('execute-skript', sameRun(execution))}>
              Execute again
            </Button>
            <Button variant="default" component={Link} to={path('skript-executions', `/compare?one=${execution.id}`)}>
              Compare
            </Button>
            {!isLive(execution.action) && (
              <FocusableButton variant="default" loading={remove.isPending} onClick={confirmDeletion}>
                Delete
              </FocusableButton>
            )}
          </>
        )
      }
    >
      {query.isError ? (
        <LoadFailure noun="run" listHref={path('skript-executions')} listLabel="Skript executions" query={query} />
      ) : !execution ? (
        <Skeleton height={180} radius={10} />
      ) : (
        <>
          <RunSummary
            execution={execution}
            links={{
              skript: path('skripts', `/${execution.skript.id}`),
              worker: path('workers', `?worker_id=${execution.worker?.id}`),
              issue: path('skript-executions', `?issue_id=${execution.issue_id}`),
            }}
          />
          <ExecutionResult execution={execution} placeHref={place => placePath(path, execution, place)} />
          <RunWrites execution={execution} storageHref={rest => path('storage', rest)} />
          <Attempts execution={execution} executionHref={id => path('skript-executions', `/${id}`)} />
          <h2 className="section-title">Echoes</h2>
          <RunEchoes key={execution.id} executionId={execution.id} action={execution.action} />
          <h2 className="section-title">Details</h2>
          <ExecutionDetails
            execution={execution}
            versionHref={hash => path('skripts', `/${execution.skript.id}?version=${hash}`)}
          />
          <LastRuns execution={execution} href={path('skript-executions', `?skript_id=${execution.skript.id}`)} />
        </>
      )}
    </Page>
  );
}
