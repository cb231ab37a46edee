import { Link } from 'react-router';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';
import { useNextSchedules } from '../card-queries.js';
import { Loaded } from '../failures/loaded.js';

const HEIGHT_PX = 180;

interface NextSchedulesProps {
  schedulerHref: string;
  scheduleHref: (scheduleId: string) => string;
}

/** The schedules that fire next. */
export function NextSchedules({ schedulerHref, scheduleHref }: NextSchedulesProps) {
  const query = useNextSchedules();
  return (
    <section className="card side-list" aria-label="Next schedules">
      <h2>
        <Link to={schedulerHref}>Next schedules</Link>
      </h2>
      <Loaded what="The schedules" query={query} height={HEIGHT_PX}>
        {({ items: schedules }) =>
          schedules.length === 0 ? (
            <p className="tab-note">Nothing is scheduled.</p>
          ) : (
            <ul>
              {schedules.map(({ id, name, skript, next_fire_at: next }) => (
                <li key={id}>
                  <Link className="cell-title" to={scheduleHref(id)}>
                    {inReadingOrder(name)}
                  </Link>
                  <span className="cell-sub">{next && <TimeText iso={next} zone />}</span>
                  <p className="side-reason">{inReadingOrder(skript.name)}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
