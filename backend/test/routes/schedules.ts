import { unique, type World } from '../world.js';
import { type Routes, takenName } from './route.js';

const add = '/joint-api/schedules/addnew';
const fresh = ({ owner, worker }: World) => ({
  name: unique(),
  cron_span: '0 0 1 1 *',
  time_zone: 'Europe/Zagreb',
  worker_id: worker.id,
  skript_id: owner.things.skript_id,
});

export const scheduleRoutes: Routes = {
  listSchedules: { access: 'own' },
  previewSchedule: {
    access: 'own',
    call: () => ({ query: { cron_span: '30 6 * * MON-FRI', time_zone: 'Asia/Tokyo' } }),
  },
  countFiresByHour: {
    access: 'own',
    call: ({ owner }) => ({ query: { schedule_ids: String(owner.things.schedule_id), from: '2026-02-09T00:00:00Z' } }),
  },
  createSchedule: {
    access: 'owned',
    call: world => ({ body: fresh(world) }),
    errors: {
      name_taken: async world => {
        const body = fresh(world);
        await world.owner.create(add, body);
        return { body };
      },
    },
  },
  getSchedule: { access: 'owned' },
  updateSchedule: {
    access: 'owned',
    call: () => ({ body: { job_name: 'changed' } }),
    errors: { name_taken: takenName(add, fresh) },
  },
  deleteSchedule: {
    access: 'owned',
    call: async world => ({ path: { schedule_id: await world.owner.create(add, fresh(world)) } }),
  },
  triggerSchedule: { access: 'owned', scope: 'run' },
  listScheduleFires: { access: 'owned' },
};
