import { Button, Tabs } from '@mantine/core';
import { isLive } from '@trawl/contracts';
import { useEffect, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { useExecution } from '../../api/requests/get-execution.js';
import { useRecentExecutions } from '../../api/requests/list-executions.js';
import { EmptyState, ErrorState } from '../../components/feedback/states.js';
import { Page } from '../../components/page/page.js';
import { SearchSelect } from '../../components/selects/search-select.js';
import { SkriptSelect } from '../../components/selects/skript-select.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { ActionStatus } from '../../components/values/status.js';
import { timeWords } from '../../components/values/time-text.js';
import { RealtimeEchoes } from '../../features/echoes/components/realtime-echoes.js';
import { SavedEchoes } from '../../features/echoes/components/saved-echoes.js';
import { usePanelPath } from '../../session/panel-path.js';

const RUN_ID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const choice = (execution: Execution) => ({
  value: execution.id,
  label: `${inReadingOrder(execution.skript.name)}, ${timeWords(execution.created_at)} (${execution.action})`,
});

export default function EchoesRoute() {
  const [params, setParams] = useSearchParams();
  const path = usePanelPath();
  const skriptId = params.get('skript_id') ?? '';
  const [search, setSearch] = useState('');
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
  const choices = [
    ...new Map([...(execution ? [execution] : []), ...offered].map(run => [run.id, choice(run)])).values(),
  ];

  const byId = RUN_ID.test(search.trim()) ? [{ value: search.trim(), label: `Run ${search.trim()}` }] : [];
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

  return (
    <Page title="Echoes" description="The messages of your skripts: live during a run, saved afterwards.">
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
        <Tabs.List mb="md">
          <Tabs.Tab value="realtime">Realtime</Tabs.Tab>
          <Tabs.Tab value="saved">Saved</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {recent.isError ? (
        <ErrorState what="The runs could not be loaded" error={recent.error} onRetry={() => void recent.refetch()} />
      ) : executionId === '' && skriptId === '' ? (
        recent.isSuccess && noRun
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
            <SearchSelect
              label="Run"
              description="One of the latest 200, or paste the ID of any run."
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              w={{ base: '100%', sm: 460 }}
              allowDeselect={false}
              nothingFoundMessage="No such run among the latest"
              onSearch={setSearch}
              choices={
                byId.length > 0
                  ? byId
                  : choices.filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()))
              }
              chosen={choices.find(({ value }) => value === executionId)}
              value={executionId}
              onChange={id => id && change({ execution_id: id })}
            />
            {execution && <ActionStatus action={execution.action} waiting={execution.waiting_for} />}
          </div>
          {executionId === '' ? (
            recent.isSuccess && noRun
          ) : query.isError ? (
            <ErrorState what="The run could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            execution &&
            (tab === 'saved' ? (
              <SavedEchoes key={execution.id} executionId={execution.id} />
            ) : (
              <div className="card clip-corners">
                <RealtimeEchoes
                  key={execution.id}
                  executionId={execution.id}
                  action={execution.action}
                  onShowSaved={place => change({ tab: 'saved', ...place })}
                />
              </div>
            ))
          )}
        </>
      )}
    </Page>
  );
}
