import { Link } from 'react-router';
import type { Execution, Worker } from '../../../api/entities.js';
import { useExecutions } from '../../../api/requests/list-executions.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { WorkerStatusText } from '../../../components/values/status.js';
import { useShownWorkers } from '../card-queries.js';
import { Loaded } from '../failures/loaded.js';

const LIVE_RUNS = 200;
const HEIGHT_PX = 180;
/** Maximum number of cells of a worker. Slots beyond it are only counted. */
const MAX_CELLS = 60;

interface SlotsProps {
  worker: Worker;
  own: Execution[];
  executionHref: (executionId: string) => string;
}

/**
 * A cell for each run: first the own ones, then those of other accounts. The free slots are counted, and are cells too
 * if the worker has few.
 */
function Slots({ worker: { name, slots, free_slots, status }, own, executionHref }: SlotsProps) {
  const isOnline = status === 'online';
  const taken = isOnline ? Math.max(own.length, slots - free_slots) : own.length;
  const free = Math.max(0, slots - taken);
  const cells = own.slice(0, MAX_CELLS);
  const others = Math.min(taken - own.length, MAX_CELLS - cells.length);
  const hidden = taken - cells.length - others;
  const freeWord = isOnline ? 'free' : 'unavailable';
  return (
    <ul className="slots" aria-label={`${name}: ${taken} of ${slots} slots taken`}>
      {cells.map(({ id, skript }) => (
        <li key={id}>
          <Link
            className="slot"
            data-slot="own"
            to={executionHref(id)}
            title={inReadingOrder(skript.name)}
            aria-label={inReadingOrder(skript.name)}
          />
        </li>
      ))}
      {Array.from({ length: others }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells are alike.
        <li key={`other ${index}`} className="slot" data-slot="other" title="A run of another account" />
      ))}
      {taken + free <= MAX_CELLS &&
        Array.from({ length: free }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the cells are alike.
          <li key={`free ${index}`} className="slot" data-slot="free" title={isOnline ? 'Free' : 'Unavailable'} />
        ))}
      {slots > 0 && (
        <li className="slots-count tabular">
          {hidden > 0 && `and ${hidden} more, `}
          {free} {freeWord}
        </li>
      )}
    </ul>
  );
}

interface WorkerSlotsProps {
  workersHref: string;
  executionHref: (executionId: string) => string;
}

/** The slots of the workers as cells, with what runs in each. */
export function WorkerSlots({ workersHref, executionHref }: WorkerSlotsProps) {
  const workers = useShownWorkers();
  const started = useExecutions({ action: 'start', limit: LIVE_RUNS }).data?.items ?? [];
  const paused = useExecutions({ action: 'pause', limit: LIVE_RUNS }).data?.items ?? [];
  const live = [...started, ...paused].filter(({ waiting_for: waiting }) => waiting === null);
  return (
    <section className="card side-list" aria-label="Slots of the workers">
      <h2>
        <Link to={workersHref}>Workers</Link>
      </h2>
      <Loaded what="The workers" query={workers} height={HEIGHT_PX}>
        {({ items, total }) => (
          <>
            <p className="tab-note">
              {items.length === 0
                ? 'No worker can run your skripts yet.'
                : 'The number of slots follows the free memory of the machine.'}
            </p>
            <ul>
              {items.map(worker => (
                <li key={worker.id} className="slots-row">
                  <span>
                    <strong>{worker.name}</strong> <WorkerStatusText status={worker.status} />
                  </span>
                  <Slots
                    worker={worker}
                    own={live.filter(run => run.worker?.id === worker.id)}
                    executionHref={executionHref}
                  />
                </li>
              ))}
            </ul>
            {total > items.length && (
              <p className="tab-note">And {(total - items.length).toLocaleString('en-GB')} more.</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}
