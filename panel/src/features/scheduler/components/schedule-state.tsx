import type { Schedule } from '../../../api/entities.js';
import { MessageText } from '../../../components/feedback/message-text.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { Status } from '../../../components/values/status.js';

/** Says whether a schedule fires, and if its last fire started no run, why. */
export function ScheduleState({ schedule: { enabled, problem } }: { schedule: Schedule }) {
  return (
    <div>
      {!enabled ? (
        <Status tone="quiet" label="paused" hollow />
      ) : problem ? (
        <Status tone="error" label="problem" />
      ) : (
        <Status tone="ok" label="on" />
      )}
      {problem && (
        <span className="cell-sub cell-reason" title={inReadingOrder(problem.message)}>
          <MessageText of={problem.message} />
        </span>
      )}
    </div>
  );
}
