import { Link } from 'react-router';
import { Loaded } from '../../../components/failures/loaded.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { RelativeTime } from '../../../components/values/relative-time.js';
import { useNextSchedules } from '../card-queries.js';

const HEIGHT_PX = 180;

interface NextSchedulesProps {
  schedulerHref: string;
  scheduleHref: (scheduleId: string) => string;
}

/** The schedules that fire next. */
export function NextSchedules({ schedulerHref, scheduleHref }: NextSchedulesProps) {
  const query = useNextSchedules();
  return (
    <section className="card side-list" aria-labelledby="next-fires">
      <h2 id="next-fires">
        <Link to={schedulerHref}>Next scheduled runs</Link>
      </h2>
      <Loaded what="The schedules" query={query} height={HEIGHT_PX}>
        {({ items: schedules }) =>
          schedules.length === 0 ? (
            <p className="tab-note">Nothing is scheduled.</p>
          ) : (
            <ul>
              {schedules.map(({ id, name, skript, next_fire_at: next }) => (
                <li key={id}>
                  <Link className="cell-title" to={scheduleHref(id)} title={inReadingOrder(name)}>
                    {inReadingOrder(name)}
                  </Link>
                  <p className="side-facts">
                    {skript.name !== name && <span>{inReadingOrder(skript.name)}</span>}
                    {next && <RelativeTime iso={next} />}
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
