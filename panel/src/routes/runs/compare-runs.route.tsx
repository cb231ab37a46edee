import '../../styles/runs/runs.css';
import { SimpleGrid, Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { useRecentExecutions } from '../../api/requests/list-executions.js';
import { LoadFailure } from '../../components/feedback/load-failure.js';
import { EmptyState } from '../../components/feedback/states.js';
import { useUrlParams } from '../../components/list/url-params.js';
import { Page } from '../../components/page/page.js';
import { RunSelect } from '../../components/selects/run-select.js';
import { RowComparison } from '../../features/skript-executions/changes/row-comparison.js';
import { RunComparison } from '../../features/skript-executions/components/run-comparison.js';
import { usePanelPath } from '../../session/panel-path.js';

/** The run that started first counts as the earlier one. */
const inOrder = (one: Execution, other: Execution) =>
  one.created_at < other.created_at
    ? { executionId: other.id, otherId: one.id }
    : { executionId: one.id, otherId: other.id };

export default function CompareRunsRoute() {
  const params = useUrlParams();
  const path = usePanelPath();
  const [oneId, otherId] = [params.get('one'), params.get('other')];
  const one = useExecution(oneId);
  const other = useExecution(otherId);
  const failed = [one, other].find(({ isError, data }) => isError && !data);
  const skriptId = one.data?.skript.id ?? other.data?.skript.id ?? '';
  const recent = useRecentExecutions(skriptId);
  const choices = { runs: recent.data?.items ?? [], source: recent, of: skriptId ? 'first' : 'all' } as const;
  return (
    <Page
      title="Compare two runs"
      crumbs={<Link to={path('skript-executions')}>Skript executions</Link>}
      description="Version, input, duration, output and rows side by side."
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md" className="card compare-choice">
        <RunSelect label="One run" {...choices} value={oneId} onChange={id => params.set({ one: id })} />
        <RunSelect label="Other run" {...choices} value={otherId} onChange={id => params.set({ other: id })} />
      </SimpleGrid>
      {failed ? (
        <LoadFailure noun="run" listHref={path('skript-executions')} listLabel="All runs" query={failed} />
      ) : one.data && other.data ? (
        <>
          <RunComparison one={one.data} other={other.data} executionHref={id => path('skript-executions', `/${id}`)} />
          <section aria-label="Rows">
            <h2 className="section-title">Rows</h2>
            <RowComparison key={`${oneId} ${otherId}`} {...inOrder(one.data, other.data)} />
          </section>
        </>
      ) : oneId && otherId ? (
        <Skeleton height={320} radius={10} />
      ) : (
        <div className="card">
          <EmptyState title="Choose two runs">
            They may be of one skript or of two. What differs between them is marked.
          </EmptyState>
        </div>
      )}
    </Page>
  );
}
