import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Schedule } from '../../../api/entities.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { utcWords, ZONE } from '../../../components/values/time-text.js';
import { useFireHours } from '../api/count-fires.js';
import {
  FATE_LABELS,
  FATES,
  type Fate,
  laneSlots,
  laneWords,
  type Share,
  type Slot,
  sharesOf,
  type Week,
  weekLater,
  weekOf,
} from '../week.js';

/** So many lanes leave the list below them on the first screen. */
const FIRST_LANES = 8;
const HOUR_MS = 3_600_000;
const HEIGHT = 20;
/** The line of the current time ends below the bars, which may cover the rest of it. */
const NOW_HEIGHT = HEIGHT + 4;
/**
 * Top and height of the bar of each fate. They differ, so that the lane can be read without its colours. An hour with
 * failures has the full height, in shares.
 */
const BARS: Record<Fate, [top: number, height: number]> = {
  failed: [0, 20],
  missed: [0, 7],
  skipped: [0, 7],
  stopped: [13, 7],
  live: [6, 14],
  ended: [6, 14],
  coming: [16, 4],
};
const LEGEND: { fate: Fate; label: string }[] = [
  { fate: 'ended', label: 'completed' },
  { fate: 'failed', label: 'failed' },
  { fate: 'skipped', label: 'skipped or missed' },
  { fate: 'stopped', label: 'stopped' },
  { fate: 'coming', label: 'to come' },
];

const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const weekName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
const hourName = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });

const slotWords = ({ hour, counts }: Slot, { from }: Week): string => {
  const at = new Date(from.getTime() + hour * HOUR_MS);
  const utc = utcWords(at);
  const parts = FATES.flatMap(fate =>
    counts[fate] ? [fate === 'coming' ? FATE_LABELS.coming : `${counts[fate]} ${FATE_LABELS[fate]}`] : [],
  );
  return `${hourName.format(at)} ${ZONE}${utc && ` (${utc})`}: ${parts.join(', ')}`;
};

function barsOf(slot: Slot): Share[] {
  const { fate } = slot;
  if (fate !== 'failed') return [{ fate, top: BARS[fate][0], height: BARS[fate][1] }];
  return sharesOf(slot).map(share => ({ ...share, top: share.top * HEIGHT, height: share.height * HEIGHT }));
}

function Lane({ slots, week, name }: { slots: Slot[]; week: Week; name: string }) {
  const now = (Date.now() - week.from.getTime()) / HOUR_MS;
  return (
    <svg
      className="lane"
      role="img"
      aria-label={`${name}: ${laneWords(slots)}`}
      viewBox={`0 0 ${week.hours} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      {[1, 2, 3, 4, 5, 6].map(day => (
        <line key={day} className="lane-day" x1={day * 24} x2={day * 24} y1={0} y2={HEIGHT} />
      ))}
      {now > 0 && now < week.hours && (
        // Drawn before the bars, because it is as wide as they are on phones and would hide them.
        <line className="lane-now" x1={now} x2={now} y1={0} y2={NOW_HEIGHT} />
      )}
      {slots.map(slot => (
        <g key={slot.hour}>
          <title>{slotWords(slot, week)}</title>
          {barsOf(slot).map(({ fate, top, height }) => (
            <rect key={fate} x={slot.hour} width={1} y={top} height={height} data-fate={fate} />
          ))}
        </g>
      ))}
    </svg>
  );
}

interface WeekLanesProps {
  schedules: Schedule[];
  /** Path of a schedule's page; missing on that page itself. */
  scheduleHref?: (scheduleId: string) => string;
}

/** One lane for each schedule: what came of its fires in a week, and when it fires next. The week is in the URL. */
export function WeekLanes({ schedules, scheduleHref }: WeekLanesProps) {
  const params = useUrlParams();
  const week = weekOf(params.get('week'));
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? schedules : schedules.slice(0, FIRST_LANES);
  const thisWeek = weekOf('').from.getTime() === week.from.getTime();
  const ids = shown.map(({ id }) => id);
  const query = useFireHours(ids, week.from.toISOString(), week.hours);
  const go = (weeks: number) => params.set({ week: weekLater(week, weeks) });
  const days = [0, 1, 2, 3, 4, 5, 6].map(
    day => new Date(week.from.getFullYear(), week.from.getMonth(), week.from.getDate() + day),
  );
  return (
    <section className="card lanes" aria-label="The week" aria-busy={query.isPending}>
      <header className="lanes-head">
        <h2>
          {thisWeek ? 'This week' : `Week of ${weekName.format(week.from)}`}
          <span className="cell-sub">Days and hours in {ZONE}</span>
        </h2>
        <ul className="lanes-legend">
          {LEGEND.map(({ fate, label }) => (
            <li key={fate}>
              <svg viewBox={`0 0 4 ${HEIGHT}`} aria-hidden="true">
                <rect width={4} y={BARS[fate][0]} height={BARS[fate][1]} data-fate={fate} />
              </svg>
              {label}
            </li>
          ))}
          {thisWeek && (
            <li>
              <svg viewBox={`0 0 4 ${HEIGHT}`} aria-hidden="true">
                <line className="lane-now" x1={2} x2={2} y1={0} y2={HEIGHT} />
              </svg>
              now
            </li>
          )}
        </ul>
        <Group gap={6} wrap="nowrap">
          {!thisWeek && (
            <Button size="compact-sm" variant="default" onClick={() => params.set({ week: null })}>
              This week
            </Button>
          )}
          <Tooltip label="The week before">
            <ActionIcon variant="default" onClick={() => go(-1)} aria-label="The week before">
              <IconChevronLeft size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="The week after">
            <ActionIcon variant="default" onClick={() => go(1)} aria-label="The week after">
              <IconChevronRight size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </header>
      {query.isError && !query.data ? (
        <ErrorState what="The week could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <div className="lanes-grid" data-named={scheduleHref ? true : undefined}>
          {scheduleHref && <span />}
          <div className="lanes-days" aria-hidden="true">
            {days.map(day => (
              <span key={day.getTime()}>
                {dayName.format(day)} <span>{day.getDate()}</span>
              </span>
            ))}
          </div>
          {shown.map(schedule => {
            const name = inReadingOrder(schedule.name);
            const slots = laneSlots(schedule, query.data?.items ?? [], week);
            return (
              <div className="lane-row" key={schedule.id}>
                {scheduleHref && <Link to={scheduleHref(schedule.id)}>{name}</Link>}
                <Lane slots={slots} week={week} name={name} />
              </div>
            );
          })}
        </div>
      )}
      {schedules.length > FIRST_LANES && (
        <Button size="compact-sm" variant="subtle" mt={6} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Show ${FIRST_LANES} schedules` : `Show all ${schedules.length} schedules`}
        </Button>
      )}
    </section>
  );
}
