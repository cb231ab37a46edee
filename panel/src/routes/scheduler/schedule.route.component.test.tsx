import { screen } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { changes, listOf, press, showScreen } from '../../test-screen.js';
import ScheduleRoute from './schedule.route.js';

const PAUSED = {
  id: 'a',
  name: 'Hourly',
  skript_id: 's',
  skript: { id: 's', name: 'Shop' },
  cron_span: '0 * * * *',
  time_zone: 'UTC',
  worker_id: 'any',
  enabled: false,
  triggered: [],
  next_fires: [],
  counter: 0,
};

it('the page of a paused schedule shows when it would run, and resumes it with one button', async () => {
  showScreen(
    <Routes>
      <Route path="scheduler/:scheduleId" element={<ScheduleRoute />} />
    </Routes>,
    {
      'GET /joint-api/schedules/a': { body: PAUSED },
      'GET /joint-api/schedules/preview': { body: { next_fires: ['2026-11-27T22:00:00.000Z'] } },
      'GET /joint-api/schedules/fires-by-hour': listOf(),
      'GET /joint-api/schedules/a/fires/list': listOf(),
      'PUT /joint-api/schedules/a': { body: { ...PAUSED, enabled: true } },
    },
    '/developer/scheduler/a',
  );
  await screen.findByText('none: the schedule is paused. If you resume it now, it runs at:');
  expect(screen.getByText(/^27 Nov 2026/).closest('.next-fires')).toBeTruthy();
  await press('Resume');
  expect(changes()).toMatchObject([{ body: { enabled: true } }]);
});
