import '../../../styles/runs/changes.css';
import { Button } from '@mantine/core';
import type { Execution } from '../../../api/entities.js';
import { useRecentExecutions } from '../../../api/requests/list-executions.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { RunSelect } from '../../../components/selects/run-select.js';
import { RowComparison } from './row-comparison.js';
import { RunChanges } from './run-changes.js';

interface ChangesTabProps {
  execution: Execution;
  lastGood: Execution | null;
}

/** Lists what a run changed, or how its rows differ from those of the run that the address names. */
export default function ChangesTab({ execution, lastGood }: ChangesTabProps) {
  const params = useUrlParams();
  const recent = useRecentExecutions(execution.skript.id);
  const otherId = params.get('with');
  const compare = (other: string | null) => params.go({ with: other, kind: null, field: null, page: null });
  return (
    <>
      <div className="change-bar">
        <RunSelect
          label="Compare with another run"
          runs={(recent.data?.items ?? []).filter(({ id }) => id !== execution.id)}
          source={recent}
          of="only"
          width={{ base: '100%', sm: 480 }}
          value={otherId}
          onChange={compare}
        />
        {otherId !== '' && (
          <Button variant="default" onClick={() => compare(null)}>
            Show changes of this run
          </Button>
        )}
      </div>
      {otherId === '' ? (
        <RunChanges execution={execution} lastGood={lastGood} onCompare={compare} />
      ) : (
        <RowComparison key={otherId} executionId={execution.id} otherId={otherId} />
      )}
    </>
  );
}
