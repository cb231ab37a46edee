import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { useWorkers } from '../../../api/requests/list-workers.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { RunStatus, Status, WaitingText } from '../../../components/values/status.js';

export interface WorkerResult {
  worker_id: string;
  status: number;
  execution?: Execution;
  error?: { error_message: string };
}

/** The run on one worker, which changes while the user looks. */
function LiveRun({ started, href }: { started: Execution; href: string }) {
  const execution: Execution = useExecution(started.id).data ?? started;
  return (
    <>
      <RunStatus action={execution.action} waiting={execution.waiting_for} />
      <span>
        {execution.waiting_for ? (
          <WaitingText waiting={execution.waiting_for} />
        ) : execution.action === 'error' ? (
          <MessageText of={execution.error_stack?.split('\n')[0] ?? ''} />
        ) : (
          execution.action === 'end' && JSON.stringify(execution.output)?.slice(0, 120)
        )}
      </span>
      <Link className="link" to={href}>
        Open run
      </Link>
    </>
  );
}

interface WorkerResultsProps {
  results: WorkerResult[];
  executionHref: (executionId: string) => string;
}

/** One line for each worker: its run, or why none started there. */
export function WorkerResults({ results, executionHref }: WorkerResultsProps) {
  const workers = useWorkers({ limit: 1000, sort: 'name' }).data?.items;
  return (
    <section className="card worker-results" aria-label="Result on each worker">
      <ul>
        {results.map(({ worker_id: id, execution, error }) => (
          <li key={id}>
            <strong>{workers?.find(worker => worker.id === id)?.name ?? (id === 'any' ? 'any worker' : id)}</strong>
            {execution ? (
              <LiveRun started={execution} href={executionHref(execution.id)} />
            ) : (
              <>
                <Status tone="error" label="not started" />
                <span>{error && <MessageText of={error.error_message} />}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
