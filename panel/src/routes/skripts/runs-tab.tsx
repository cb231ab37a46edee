import '../../styles/runs/runs.css';
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Skript } from '../../api/entities.js';
import { useLatestRuns } from '../../api/requests/list-latest-runs.js';
import { RunStrip } from '../../components/runs/run-strip.js';
import { ExecutionsTable } from '../../features/skript-executions/components/executions-table.js';
import { useSkriptTab } from '../../features/skripts/home/skript-tabs.js';
import { usePanelPath } from '../../session/panel-path.js';

/** The runs of a skript: the last ones as bars, and all in a table. */
export default function RunsTab({ skript }: { skript: Skript }) {
  const path = usePanelPath();
  const { hrefOf } = useSkriptTab();
  const latest = useLatestRuns([skript.id]).data?.items ?? [];
  return (
    <>
      {latest.length > 0 && (
        <section className="card last-runs" aria-label="Last runs">
          <h2>Last runs</h2>
          <RunStrip runs={latest} href={hrefOf('runs')} />
          <Button
            ml="auto"
            size="xs"
            variant="default"
            component={Link}
            to={path('skript-executions', `/issues?skript_id=${skript.id}`)}
          >
            Failures by cause
          </Button>
        </section>
      )}
      <ExecutionsTable skriptId={skript.id} executeHref={path('execute-skript', `?skript_id=${skript.id}`)} />
    </>
  );
}
