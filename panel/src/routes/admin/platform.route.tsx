import '../../styles/account.css';
import { SimpleGrid } from '@mantine/core';
import { Page } from '../../components/page/page.js';
import { DiskCard } from '../../features/platform/disk-card.js';
import { HealthCard } from '../../features/platform/health-card.js';
import { MaintenanceCard } from '../../features/platform/maintenance-card.js';

export default function PlatformRoute() {
  return (
    <Page title="Platform" description="The state of this installation, and its maintenance.">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md" verticalSpacing={0}>
        <div>
          <HealthCard />
          <DiskCard />
        </div>
        <div>
          <MaintenanceCard />
        </div>
      </SimpleGrid>
    </Page>
  );
}
