import { Page } from '../../components/page/page.js';
import { AuditTable } from '../../features/audit-log/components/audit-table.js';

export default function AuditLogRoute() {
  return (
    <Page
      title="Audit log"
      description="Who changed what, when and from which address. Trawl logs the names of changed fields, not their values."
    >
      <AuditTable />
    </Page>
  );
}
