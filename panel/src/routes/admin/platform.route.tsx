import '../../styles/dashboard.css';
import '../../styles/lists/facts-line.css';
import '../../styles/platform.css';
import { Page } from '../../components/page/page.js';
import { PlatformOverview } from '../../features/dashboard/components/platform-overview.js';
import { RunsChart } from '../../features/dashboard/components/runs-chart.js';
import { DisksCard } from '../../features/platform/disks-card.js';
import { MaintenanceButton } from '../../features/platform/maintenance-button.js';
import { PlatformFacts } from '../../features/platform/platform-facts.js';
import { ServicesCard } from '../../features/platform/services-card.js';

export default function PlatformRoute() {
  return (
    <Page title="Platform" facts={<PlatformFacts />} actions={<MaintenanceButton />}>
      <PlatformOverview />
      <div className="dashboard-grid">
        <RunsChart ofPlatform />
        <div className="dashboard-side">
          <ServicesCard />
          <DisksCard />
        </div>
      </div>
    </Page>
  );
}
