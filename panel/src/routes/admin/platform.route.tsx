import '../../styles/account.css';
import { Page } from '../../components/page/page.js';
import { DiskCard } from '../../features/platform/disk-card.js';
import { HealthCard } from '../../features/platform/health-card.js';
import { MaintenanceCard } from '../../features/platform/maintenance-card.js';

export default function PlatformRoute() {
  return (
    <Page title="Platform" description="The state of this installation, and its maintenance.">
      <HealthCard />
      <DiskCard />
      <MaintenanceCard />
    </Page>
  );
}
