import { IconTool } from '@tabler/icons-react';
import { useAccount } from '../../api/requests/get-account.js';
import { inReadingOrder } from '../../components/values/in-reading-order.js';
import { TimeText } from '../../components/values/time-text.js';

/** Shows the message of a maintenance on every page, because runs wait and schedules do not fire. */
export function MaintenanceBar() {
  const maintenance = useAccount().data?.maintenance;
  if (!maintenance) return null;
  return (
    <div className="outage" role="status">
      <IconTool size={18} aria-hidden />
      <p>
        Maintenance: {inReadingOrder(maintenance.message)}
        {maintenance.until && (
          <>
            {' '}
            Until <TimeText iso={maintenance.until} zone />.
          </>
        )}
      </p>
    </div>
  );
}
