import { Alert } from '@mantine/core';
import { Suspense } from 'react';
import { useDashboard } from '../../../api/requests/get-dashboard.js';
import { WithSharedFailures } from '../../../components/failures/shared-failures.js';
import { lazyScreen } from '../../../components/lazy-screen.js';
import { usePanelPath } from '../../../session/panel-path.js';
import { useCardQueries } from '../card-queries.js';
import { BrokenRows } from './broken-rows.js';
import { Figures } from './figures.js';
import { FirstSteps } from './first-steps.js';
import { LateCard } from './late-card.js';
import { NextSchedules } from './next-schedules.js';
import { OpenIssues } from './open-issues.js';
import { QuotaFacts } from './quota-facts.js';
import { RunsCard } from './runs-card.js';
import { RunsChart } from './runs-chart.js';

/** Only administrators load it. */
const PlatformFigures = lazyScreen(() => import('./platform-figures.js'));

/** Explains why a new account cannot run skripts yet. */
const FreeWorkerPending = () => (
  <Alert color="blue" variant="light" mb="md" title="Your free worker is not ready yet">
    Skripts of new accounts need a worker with the full sandbox, and none is connected. The first one that connects
    becomes yours automatically. Until then you can use your database, and write and bundle skripts, but not run them.
  </Alert>
);

/** The day of an operator: what fails, what is late, what runs, what is stored and what comes next. */
export function Dashboard() {
  const path = usePanelPath();
  const figures = useDashboard().data;
  return (
    <WithSharedFailures whole="dashboard" cards={useCardQueries()}>
      {figures?.free_worker === 'waiting' && <FreeWorkerPending />}
      <Figures />
      {figures?.platform && (
        <Suspense>
          <PlatformFigures platform={figures.platform} />
        </Suspense>
      )}
      {figures && <FirstSteps figures={figures} />}
      {figures && <QuotaFacts quotas={figures.quotas} />}
      <div className="dashboard-grid">
        <div className="dashboard-main">
          <OpenIssues
            issuesHref={path('skript-executions', '/issues')}
            executionHref={id => path('skript-executions', `/${id}`)}
          />
          <RunsChart />
        </div>
        <div className="dashboard-side">
          <BrokenRows />
          <LateCard />
          <RunsCard />
          <NextSchedules schedulerHref={path('scheduler')} scheduleHref={id => path('scheduler', `/${id}`)} />
        </div>
      </div>
    </WithSharedFailures>
  );
}
