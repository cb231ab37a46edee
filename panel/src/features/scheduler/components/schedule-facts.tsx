import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schedule } from '../../../api/entities.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { spanWords } from '../../../components/values/span-words.js';
import { TimeText } from '../../../components/values/time-text.js';
import { usePreview } from '../api/preview-schedule.js';
import { ScheduleState } from './schedule-state.js';

interface ScheduleFactsProps {
  schedule: Schedule;
  links: { skript: string; runs: string };
}

const Fires = ({ times }: { times: readonly string[] }) =>
  times.map(iso => (
    <span key={iso}>
      <TimeText iso={iso} zone utc />
    </span>
  ));

/** The fires that a paused schedule would have if it were resumed now. */
function FiresIfResumed({ span, zone }: { span: string; zone: string }) {
  const times = usePreview(span, zone).data?.next_fires;
  return (
    <>
      <span>none: the schedule is paused{times && '. If you resume it now, it runs at:'}</span>
      {times && <Fires times={times} />}
    </>
  );
}

/** All fields of a schedule, with its next five fires. */
export function ScheduleFacts({ schedule, links }: ScheduleFactsProps) {
  const { cron_span: span, time_zone: zone, triggered, next_fires: next = [] } = schedule;
  const facts: [string, ReactNode][] = [
    ['State', <ScheduleState key="state" schedule={schedule} />],
    [
      'When',
      <>
        {spanWords(span) || span}
        <span className="cell-sub">
          <span className="mono">{span}</span> in {zone}
        </span>
      </>,
    ],
    [
      'Skript',
      <Link key="skript" className="link" to={links.skript}>
        {inReadingOrder(schedule.skript.name)}
      </Link>,
    ],
    ['Worker', schedule.worker?.name ?? schedule.worker_id],
    ['Last run', triggered[0] ? <TimeText key="last" iso={triggered[0]} zone utc /> : 'none yet'],
    [
      'Runs',
      schedule.counter > 0 ? (
        <Link key="runs" className="link" to={links.runs}>
          {schedule.counter.toLocaleString('en-GB')}
        </Link>
      ) : (
        '0'
      ),
    ],
    ...(schedule.job_name ? [['Job', schedule.job_name] satisfies [string, ReactNode]] : []),
  ];
  return (
    <dl className="facts card">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div data-full>
        <dt>Next runs</dt>
        <dd className="next-fires">
          {next.length === 0 ? <FiresIfResumed span={span} zone={zone} /> : <Fires times={next} />}
        </dd>
      </div>
    </dl>
  );
}
