import { Page } from '../../components/page/page.js';
import { AuditTable } from '../../features/audit-log/components/audit-table.js';

export default function AuditLogRoute() {
  return (
    <Page title="Audit log" description="Changes by all accounts, with the names of changed fields, not their values.">
      <AuditTable />
    </Page>
  );
}
