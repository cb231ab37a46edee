import { Button, Skeleton, Tabs } from '@mantine/core';
import { isLive } from '@trawl/contracts';
import { useEffect } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useExecution } from '../../api/requests/get-execution.js';
import { useRecentExecutions } from '../../api/requests/list-executions.js';
import { isMissing, LoadFailure, Missing } from '../../components/feedback/load-failure.js';
import { EmptyState, ErrorState } from '../../components/feedback/states.js';
import { Page } from '../../components/page/page.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { RunSelect } from '../../components/selects/run-select.js';
import { SkriptSelect } from '../../components/selects/skript-select.js';
import { RunStatus } from '../../components/values/status.js';
import { RealtimeEchoes } from '../../features/echoes/components/realtime-echoes.js';
import { SavedEchoes } from '../../features/echoes/components/saved-echoes.js';
import { usePanelPath } from '../../session/panel-path.js';

const SKELETON_PX = 320;

export default function EchoesRoute() {
  const [params, setParams] = useSearchParams();
  const path = usePanelPath();
  const skriptId = params.get('skript_id') ?? '';
  const recent = useRecentExecutions(skriptId);
  const tab = params.get('tab') === 'saved' ? 'saved' : 'realtime';
  // While the runs of another skript load, the list still has those of the one before.
  const runs = (!recent.isPlaceholderData && recent.data?.items) || [];
  const offered = tab === 'realtime' ? runs.filter(run => isLive(run.action)) : runs;
  const chosenId = params.get('execution_id') ?? '';
  const newestId = offered[0]?.id ?? '';
  const executionId = chosenId || newestId;
  useEffect(() => {
    // Select the newest run by default. Put it into the URL, so that it stays selected when it ends.
    if (chosenId === '' && newestId !== '')
      setParams({ tab, ...(skriptId && { skript_id: skriptId }), execution_id: newestId }, { replace: true });
  }, [chosenId, newestId, skriptId, tab, setParams]);
  const query = useExecution(executionId);
  const execution = query.data;
  const kept = { tab, ...(skriptId && { skript_id: skriptId }) };
  const change = (changes: Record<string, string | null>) => {
    const next = { ...kept, ...(executionId && { execution_id: executionId }), ...changes };
    setParams(
      Object.entries(next).filter((entry): entry is [string, string] => Boolean(entry[1])),
      { replace: true },
    );
  };

  const noRun = (
    <div className="card">
      <EmptyState
        title={tab === 'realtime' ? 'Nothing is running now' : 'No runs yet'}
        action={
          <Button component={Link} to={path('execute-skript')}>
            Execute a skript
          </Button>
        }
      >
        {tab === 'realtime'
          ? 'Start a skript to see its echoes here as they arrive. The tab Saved has the echoes of past runs.'
          : 'Start a skript. You can then read, search and download its saved echoes here.'}
      </EmptyState>
    </div>
  );

  const chosenRun = () => {
    if (executionId === '') return recent.isSuccess ? noRun : <Skeleton height={SKELETON_PX} radius={10} />;
    if (query.isError && !execution)
      return <LoadFailure noun="run" listHref={path('skript-executions')} listLabel="All runs" query={query} />;
    if (!execution) return <Skeleton height={SKELETON_PX} radius={10} />;
    if (tab === 'saved') return <SavedEchoes key={execution.id} executionId={execution.id} />;
    return (
      <div className="card clip-corners">
        <RealtimeEchoes
          key={execution.id}
          executionId={execution.id}
          action={execution.action}
          onShowSaved={place => change({ tab: 'saved', ...place })}
        />
      </div>
    );
  };

  return (
    <Page title="Echoes" description="Messages of your skripts: live during a run, saved afterwards.">
      <Tabs
        value={tab}
        onChange={value =>
          setParams(
            value === 'saved' && executionId
              ? { tab: 'saved', execution_id: executionId }
              : { tab: value ?? 'realtime' },
          )
        }
      >
        <TabList>
          <Tabs.Tab value="realtime">Realtime</Tabs.Tab>
          <Tabs.Tab value="saved">Saved</Tabs.Tab>
        </TabList>
      </Tabs>
      {recent.isError && isMissing(recent.error) ? (
        <Missing noun="skript" listHref={path('skripts')} listLabel="All skripts" />
      ) : recent.isError ? (
        <ErrorState what="The runs could not be loaded" error={recent.error} onRetry={() => recent.refetch()} />
      ) : executionId === '' && skriptId === '' ? (
        chosenRun()
      ) : (
        <>
          <div className="echo-choice">
            <SkriptSelect
              width={{ base: '100%', sm: 260 }}
              label="Skript"
              placeholder="All skripts"
              clearable
              value={skriptId || null}
              onChange={id => setParams({ tab, ...(id && { skript_id: id }) }, { replace: true })}
            />
            <RunSelect
              width={{ base: '100%', sm: 460 }}
              label="Run"
              runs={offered}
              of={skriptId ? 'only' : 'all'}
              isLiveOnly={tab === 'realtime'}
              value={executionId}
              onChange={id => change({ execution_id: id })}
            />
            {execution && <RunStatus action={execution.action} waiting={execution.waiting_for} />}
          </div>
          {chosenRun()}
        </>
      )}
    </Page>
  );
}
