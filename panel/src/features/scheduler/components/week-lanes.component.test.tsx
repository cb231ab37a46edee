import { fireEvent, screen, waitFor } from '@testing-library/react';
import type { Schedule } from '../../../api/entities.js';
import { listOf, showScreen } from '../../../test-screen.js';
import { WeekLanes } from './week-lanes.js';

const SCHEDULE = { id: 'a', name: 'Nightly', cron_span: '0 0 1 1 *', time_zone: 'UTC', enabled: false };

it('the week of a schedule draws outcomes of fires over the line of the current time', async () => {
  const hoursOfWeek = Array.from({ length: 167 }, (_, hour) => ({
    schedule_id: 'a',
    hour,
    outcome: 'fired',
    action: 'error',
    fires: 1,
  }));
  showScreen(<WeekLanes schedules={[SCHEDULE as unknown as Schedule]} />, {
    'GET /joint-api/schedules/fires-by-hour': listOf(...hoursOfWeek),
  });
  const lane = await screen.findByRole('img', { name: 'Nightly: 167 failed' });
  await waitFor(() => expect(lane.querySelector('.lane-now')).not.toBeNull());
  expect(lane.querySelectorAll('[data-fate] ~ .lane-now')).toHaveLength(0);
});

it('the week of a schedule shows its name without characters that reverse text', async () => {
  const schedule = { ...SCHEDULE, name: 'rtl \u202Egnp.exe' } as unknown as Schedule;
  showScreen(<WeekLanes schedules={[schedule]} scheduleHref={id => id} />, {
    'GET /joint-api/schedules/fires-by-hour': listOf(),
  });
  await screen.findByRole('link', { name: 'rtl gnp.exe' });
  expect(document.body.innerHTML).not.toContain('\u202E');
});

it('the week begins with eight of many schedules, so that their list is near, and shows all on demand', async () => {
  const schedules = Array.from({ length: 40 }, (_, index) => ({ ...SCHEDULE, id: `${index}`, name: `Shop ${index}` }));
  showScreen(<WeekLanes schedules={schedules as unknown as Schedule[]} scheduleHref={id => id} />, {
    'GET /joint-api/schedules/fires-by-hour': listOf(),
  });
  fireEvent.click(await screen.findByRole('button', { name: 'Show all 40 schedules' }));
  expect(screen.getAllByRole('img')).toHaveLength(40);
  fireEvent.click(screen.getByRole('button', { name: 'Show 8 schedules' }));
  expect(screen.getAllByRole('img')).toHaveLength(8);
});
