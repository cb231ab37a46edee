import { Button } from '@mantine/core';
import { FIRE_OUTCOMES } from '@trawl/contracts';
import { Link } from 'react-router';
import type { ScheduleFire } from '../../../api/entities.js';
import { EmptyState } from '../../../components/feedback/states.js';
import { ChoiceFilter } from '../../../components/list/choice-filter.js';
import { type Column, DataTable } from '../../../components/list/data-table.js';
import { useListParams } from '../../../components/list/list-params.js';
import { RunStatus, Status } from '../../../components/values/status.js';
import { TimeText, ZONE } from '../../../components/values/time-text.js';
import { useFires } from '../api/list-fires.js';

const TONES = { fired: 'ok', queued: 'warn', skipped: 'quiet', missed: 'warn' } as const;

interface FiresTableProps {
  scheduleId: string;
  executionHref: (executionId: string) => string;
}

/** The ledger of a schedule: what came of each time at which it was due. */
export function FiresTable({ scheduleId, executionHref }: FiresTableProps) {
  const params = useListParams('-fire_at');
  const outcome = FIRE_OUTCOMES.find(name => name === params.get('outcome'));
  const query = useFires(scheduleId, { ...params.query, outcome });

  const columns: Column<ScheduleFire>[] = [
    {
      key: 'due',
      title: `Due (${ZONE})`,
      sortBy: 'fire_at',
      lead: true,
      render: fire => (
        <>
          <span className="cell-title">
            <TimeText iso={fire.fire_at} utc />
          </span>
          {fire.manual && <span className="cell-sub">run by hand</span>}
        </>
      ),
    },
    {
      key: 'outcome',
      title: 'Outcome',
      brief: true,
      render: fire => <Status tone={TONES[fire.outcome]} label={fire.outcome} hollow={fire.outcome !== 'fired'} />,
    },
    {
      key: 'run',
      title: 'Run',
      brief: true,
      render: ({ execution, outcome: made }) =>
        execution ? (
          <Link className="link" to={executionHref(execution.id)}>
            <RunStatus action={execution.action} />
          </Link>
        ) : made === 'fired' ? (
          'deleted'
        ) : (
          '–'
        ),
    },
    {
      key: 'reason',
      title: 'Reason',
      render: ({ reason, left_out: leftOut, execution }) => (
        <div>
          {reason ?? (execution?.error_code ? <span className="mono">{execution.error_code}</span> : '')}
          {leftOut > 0 && (
            <span className="cell-sub">{leftOut.toLocaleString('en-GB')} earlier missed times are not listed.</span>
          )}
        </div>
      ),
    },
  ];

  return (
    <DataTable
      label="Fires"
      what="The fires"
      columns={columns}
      query={query}
      params={params}
      rowKey={({ id }) => id}
      toolbar={
        <ChoiceFilter params={params} name="outcome" label="All outcomes" choices={[...FIRE_OUTCOMES]} width={190} />
      }
      empty={
        outcome ? (
          <EmptyState
            title={`No fire was ${outcome}`}
            action={
              <Button variant="default" onClick={() => params.set({ outcome: null })}>
                Show all outcomes
              </Button>
            }
          >
            Fires with another outcome are hidden.
          </EmptyState>
        ) : (
          <EmptyState title="It has not fired yet">
            Each time at which the schedule is due appears here, with its run or with the reason why there is none.
          </EmptyState>
        )
      }
    />
  );
}
