import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { useExecution } from '../../../api/requests/get-execution.js';
import { useExecutions } from '../../../api/requests/list-executions.js';
import { ErrorState } from '../../../components/states.js';
import { ActionStatus, WaitingText } from '../../../components/status.js';
import { TimeText } from '../../../components/time-text.js';

/** More than a run may be tried. */
const MOST_TRIES = 100;

interface AttemptsProps {
  execution: Execution;
  executionHref: (executionId: string) => string;
}

/** The tries of one start, the first one first; nothing for a run that was tried once. */
export function Attempts({ execution, executionHref }: AttemptsProps) {
  const firstId = execution.retry_of ?? execution.id;
  // Of the run on the screen it is what is shown already.
  const first = useExecution(firstId);
  const later = useExecutions({ retry_of: firstId, sort: 'created_at', limit: MOST_TRIES });
  if (later.isError && !later.data)
    return (
      <ErrorState what="The other tries could not be loaded" error={later.error} onRetry={() => void later.refetch()} />
    );
  const tries = [...(first.data ? [first.data] : []), ...(later.data?.items ?? [])];
  if (tries.length < 2) return null;
  return (
    <section className="card attempts" aria-label="Tries">
      <h2>{tries.length} tries</h2>
      <ol>
        {tries.map(one => (
          <li key={one.id} aria-current={one.id === execution.id || undefined}>
            <span className="attempt-name">
              {one.id === execution.id ? (
                <strong>Try {one.attempt}</strong>
              ) : (
                <Link className="link" to={executionHref(one.id)}>
                  Try {one.attempt}
                </Link>
              )}
            </span>
            <ActionStatus action={one.action} waiting={one.waiting_for} />
            <span className="mono">{one.error_code}</span>
            <span className="cell-sub">
              {one.waiting_for ? <WaitingText waiting={one.waiting_for} /> : <TimeText iso={one.created_at} zone />}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
