import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { RunStatus, WaitingText } from '../../../components/values/status.js';
import { TimeText } from '../../../components/values/time-text.js';
import { useAttempts } from '../api/attempts-of.js';

interface AttemptsProps {
  execution: Execution;
  executionHref: (executionId: string) => string;
}

/** Lists all attempts of a run, oldest first. Shows nothing if the run has only one attempt. */
export function Attempts({ execution, executionHref }: AttemptsProps) {
  const { attempts, later } = useAttempts(execution);
  if (later.isError && !later.data)
    return (
      <ErrorState what="The other attempts could not be loaded" error={later.error} onRetry={() => later.refetch()} />
    );
  if (attempts.length < 2) return null;
  return (
    <section className="card attempts" aria-label="Attempts">
      <h2>{attempts.length} attempts</h2>
      <ol>
        {attempts.map(one => (
          <li key={one.id} aria-current={one.id === execution.id || undefined}>
            <span className="attempt-name">
              {one.id === execution.id ? (
                <strong>Attempt {one.attempt}</strong>
              ) : (
                <Link className="link" to={executionHref(one.id)}>
                  Attempt {one.attempt}
                </Link>
              )}
            </span>
            <RunStatus action={one.action} waiting={one.waiting_for} />
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
