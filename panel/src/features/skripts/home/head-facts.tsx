import { isLive } from '@trawl/contracts';
import { Link } from 'react-router';
import { useExecution } from '../../../api/requests/get-execution.js';
import { useExecutions } from '../../../api/requests/list-executions.js';
import { useSchedules } from '../../../api/requests/list-schedules.js';
import { Fact } from '../../../components/page/fact.js';
import { RunDuration } from '../../../components/runs/run-duration.js';
import { RunResult } from '../../../components/runs/run-result.js';
import { storedRows } from '../../../components/runs/stored-rows.js';
import { openVerdict } from '../../../components/runs/verdict-words.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { useSkriptTab } from './skript-tabs.js';

/** The newest run of a skript, without its output. */
export const useLastRun = (skriptId: string) => useExecutions({ skript_id: skriptId, limit: 1, sort: '-created_at' });

interface HeadFactsProps {
  skriptId: string;
  runHref: (executionId: string) => string;
}

/** Shows how the last run of a skript ended, how many rows it stored, and when the next run starts. */
export function HeadFacts({ skriptId, runHref }: HeadFactsProps) {
  const { hrefOf } = useSkriptTab();
  const last = useLastRun(skriptId);
  const run = last.data?.items[0];
  const stored = useExecution(run?.id ?? '').data;
  const schedules = useSchedules({ skript_id: skriptId, enabled: true, limit: 1, sort: 'next_fire_at' });
  const next = schedules.data?.items[0]?.next_fire_at;
  return (
    <dl className="facts-line">
      {last.data && (
        <Fact name="Last run">
          {run ? (
            <>
              <Link to={runHref(run.id)}>
                <RunResult action={run.action} waiting={run.waiting_for} level={openVerdict(run)?.level} />
              </Link>
              <RelativeTime iso={run.ended_at ?? run.created_at} />
              {run.started_at && isLive(run.action) && <RunDuration run={run} />}
            </>
          ) : (
            'none yet'
          )}
        </Fact>
      )}
      {run && stored && (
        <Fact name="Rows">
          <Link className="tabular" to={hrefOf('data')}>
            {storedRows(stored).toLocaleString('en-GB')}
          </Link>
        </Fact>
      )}
      {schedules.data && (
        <Fact name="Next run">
          <Link to={hrefOf('schedules')}>{next ? <RelativeTime iso={next} /> : 'not scheduled'}</Link>
        </Fact>
      )}
    </dl>
  );
}
