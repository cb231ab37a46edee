import { Page } from '../components/page.js';
import { AuditTable } from '../features/audit-log/components/audit-table.js';

export default function AuditLogRoute() {
  return (
    <Page
      title="Audit log"
      description="Who changed what, from where and when. What was in the fields is not kept."
      wide
    >
      <AuditTable />
    </Page>
  );
}
