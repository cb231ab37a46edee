import '../../styles/runs/run.css';
import { Skeleton, Tabs } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { useSearchParams } from 'react-router';
import type { Execution } from '../../api/entities.js';
import { useLatestRuns } from '../../api/requests/list-latest-runs.js';
import { lazyScreen } from '../../components/lazy-screen.js';
import { RunStrip } from '../../components/runs/run-strip.js';
import { storedRows } from '../../components/runs/stored-rows.js';
import { TabList } from '../../components/scroll/tab-list.js';
import { EchoImages } from '../../features/echoes/components/echo-images.js';
import { RunEchoes } from '../../features/echoes/components/run-echoes.js';
import { Attempts } from '../../features/skript-executions/components/attempts.js';
import { ExecutionDetails } from '../../features/skript-executions/components/execution-details.js';
import { FailureCause } from '../../features/skript-executions/components/failure-cause.js';
import { hasFailed, RunFailure } from '../../features/skript-executions/components/run-failure.js';
import { RunFiles } from '../../features/skript-executions/components/run-files.js';
import { RunHead } from '../../features/skript-executions/components/run-head.js';
import { RunOutput } from '../../features/skript-executions/components/run-output.js';
import { RunRequests } from '../../features/skript-executions/components/run-requests.js';
import { RunUsage } from '../../features/skript-executions/components/run-usage.js';
import { isKept } from '../../features/skript-executions/exchanges/exchanges.js';
import { type RunTarget, rowsDifference } from '../../features/skript-executions/run-targets.js';
import { RunVerdict } from '../../features/skript-executions/verdict/run-verdict.js';
import { RowSelectors } from '../../features/skript-executions/verdict/suggested-selectors.js';
import { usePanelPath } from '../../session/panel-path.js';
import { placePath } from './place-path.js';
import { RunRows } from './run-rows.js';

// Few looks at a run need it.
const ChangesTab = lazyScreen(() => import('../../features/skript-executions/changes/changes-tab.js'));
const ExchangesTab = lazyScreen(() => import('../../features/skript-executions/exchanges/exchanges-tab.js'));
const RunProxies = lazyScreen(() => import('../../features/skript-executions/proxies/run-proxies.js'));

const TABS = ['echoes', 'rows', 'changes', 'saw', 'output', 'files', 'details'] as const;
type Tab = (typeof TABS)[number];

const LABELS: Record<Tab, string> = {
  echoes: 'Echoes',
  rows: 'Rows',
  changes: 'Changes',
  saw: 'What it saw',
  output: 'Output',
  files: 'Files',
  details: 'Details',
};

/** The last runs of the skript, with this one marked. */
function LastRuns({ execution, href }: { execution: Execution; href: string }) {
  const latest = useLatestRuns([execution.skript.id]).data?.items ?? [];
  if (latest.length < 2) return null;
  return (
    <section className="card last-runs" aria-label="Last runs of this skript">
      <h2>Last runs of this skript</h2>
      <RunStrip runs={latest} href={href} markedId={execution.id} />
    </section>
  );
}

interface RunTabsProps {
  /** Shown between the facts of the run and its tabs. */
  children?: ReactNode;
  execution: Execution;
  /** The last run of the skript that has completed before this one. */
  lastGood: Execution | null;
  /** Where the two have stored data. */
  targets: RunTarget[];
}

/** One run: its main facts, why it failed, and a tab for each thing that it left. */
export function RunTabs({ children, execution, lastGood, targets }: RunTabsProps) {
  const { id, skript, worker, issue_id: issueId, bundle_hash: hash } = execution;
  const path = usePanelPath();
  const [params, setParams] = useSearchParams();
  const tab = TABS.find(name => name === params.get('tab')) ?? 'echoes';
  const runHref = (executionId: string, query = '') => path('skript-executions', `/${executionId}${query}`);
  const skriptHref = (query: Record<string, string>) => path('skripts', `/${skript.id}?${new URLSearchParams(query)}`);
  const rows = { stored: storedRows(execution), difference: rowsDifference(execution, lastGood) };
  const level = execution.verdict?.level;
  const isWrong = level === 'unusual' || level === 'broken';

  // A selector that finds nothing often ends a run with an error. A run with a verdict has findings instead.
  const mayMissRows = !execution.verdict && isKept(execution) && lastGood !== null && storedRows(lastGood) > 0;

  const contents: Record<Tab, () => ReactNode> = {
    echoes: () => <RunEchoes executionId={id} action={execution.action} />,
    rows: () => (
      <>
        {!isWrong && <RunVerdict execution={execution} />}
        <RunRows execution={execution} targets={targets} />
      </>
    ),
    changes: () => (
      <Suspense fallback={<Skeleton height={320} radius={10} />}>
        <ChangesTab execution={execution} lastGood={lastGood} />
      </Suspense>
    ),
    saw: () => (
      <Suspense fallback={<Skeleton height={320} radius={10} />}>
        <ExchangesTab execution={execution} />
      </Suspense>
    ),
    output: () => <RunOutput execution={execution} />,
    files: () => (
      <>
        <EchoImages executionId={id} action={execution.action} allHref={runHref(id, '?type=image')} />
        <RunFiles
          execution={execution}
          fileHref={file => skriptHref({ version: hash ?? '', ...(file !== undefined && { file }) })}
        />
      </>
    ),
    details: () => (
      <>
        <ExecutionDetails execution={execution} />
        {execution.proxy_use && (
          <Suspense fallback={<Skeleton height={160} radius={10} />}>
            <RunProxies execution={execution} />
          </Suspense>
        )}
        <RunUsage execution={execution} />
        <RunRequests execution={execution} />
        <Attempts execution={execution} executionHref={runHref} />
        <LastRuns execution={execution} href={path('skript-executions', `?skript_id=${skript.id}`)} />
      </>
    ),
  };

  return (
    <>
      <RunHead
        execution={execution}
        rows={rows}
        links={{
          version: skriptHref({ version: hash ?? '' }),
          worker: path('workers', `?worker_id=${worker?.id}`),
          rows: '?tab=rows',
          attempts: '?tab=details',
        }}
      />
      {hasFailed(execution) && (
        <RunFailure execution={execution} placeHref={place => placePath(path, execution, place)}>
          <FailureCause
            execution={execution}
            lastGood={lastGood}
            links={{
              issue: path('skript-executions', `?issue_id=${issueId}`),
              run: runHref,
              version: version => skriptHref({ version }),
              comparison: (from, to) => skriptHref({ tab: 'versions', from, to }),
            }}
          />
          {mayMissRows && <RowSelectors executionId={id} />}
        </RunFailure>
      )}
      {isWrong && <RunVerdict execution={execution} />}
      {children}
      <Tabs
        value={tab}
        onChange={value => setParams(value === null || value === 'echoes' ? {} : { tab: value })}
        keepMounted={false}
      >
        <TabList>
          {TABS.map(name => (
            <Tabs.Tab key={name} value={name}>
              {LABELS[name]}
              {name === 'rows' && rows.stored > 0 && (
                <span className="tab-count tabular">{rows.stored.toLocaleString('en-GB')}</span>
              )}
            </Tabs.Tab>
          ))}
        </TabList>
        <Tabs.Panel value={tab}>{contents[tab]()}</Tabs.Panel>
      </Tabs>
    </>
  );
}
