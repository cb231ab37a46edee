import '../../styles/dashboard.css';
import '../../styles/platform.css';
import { useQuery } from '@tanstack/react-query';
import { platformHealthQuery } from '../../api/platform-health.js';
import { useDashboard } from '../../api/requests/get-dashboard.js';
import { WithSharedFailures } from '../../components/failures/shared-failures.js';
import { Page } from '../../components/page/page.js';
import { useChartRange, useChartSeries } from '../../features/dashboard/card-queries.js';
import { PlatformOverview } from '../../features/dashboard/components/platform-overview.js';
import { RunsChart } from '../../features/dashboard/components/runs-chart.js';
import { DisksCard } from '../../features/platform/disks-card.js';
import { healthQuery } from '../../features/platform/health.js';
import { MaintenanceButton } from '../../features/platform/maintenance-button.js';
import { PlatformFacts } from '../../features/platform/platform-facts.js';
import { ServicesCard } from '../../features/platform/services-card.js';

export default function PlatformRoute() {
  const cards = [
    { card: 'figures', query: useDashboard() },
    { card: 'chart', query: useChartSeries(useChartRange(), true) },
    { card: 'services', query: useQuery(healthQuery) },
    { card: 'disk space', query: useQuery(platformHealthQuery) },
  ];
  return (
    <Page title="Platform" facts={<PlatformFacts />} actions={<MaintenanceButton />}>
      <WithSharedFailures cards={cards}>
        <PlatformOverview />
        <div className="dashboard-grid">
          <RunsChart ofPlatform />
          <div className="dashboard-side">
            <ServicesCard />
            <DisksCard />
          </div>
        </div>
      </WithSharedFailures>
    </Page>
  );
}
