import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const add = '/joint-api/users/addnew';
const fresh = () => ({ username: `${unique()}@example.com`, password: 'nets & knots & depth' });
const oneself = ({ admin }: World) => ({ path: { user_id: admin.id } });
/** Disables all administrators except `world.admin`. */
const onlyAdministrator = async (world: World) => {
  await world.app.sql(`UPDATE users SET disabled_at = now() WHERE role = 'admin' AND id <> $1`, [world.admin.id]);
  return oneself(world);
};
const oneOfTwoAdministrators = async (world: World) => {
  await world.admin.create(add, { ...fresh(), role: 'admin' });
  return oneself(world);
};

export const userRoutes: Routes = {
  listUsers: { access: 'admin' },
  createUser: {
    access: 'admin',
    scope: 'session',
    call: () => ({ body: fresh() }),
    errors: {
      name_taken: async ({ admin }) => {
        const body = fresh();
        await admin.created(add, body);
        return { body };
      },
    },
  },
  getUser: { access: 'admin' },
  updateUser: {
    access: 'admin',
    scope: 'session',
    call: async ({ admin }) => ({
      path: { user_id: await admin.create(add, fresh()) },
      body: { quotas: { skripts: null } },
    }),
    errors: {
      last_administrator: async world => ({ ...(await onlyAdministrator(world)), body: { role: 'developer' } }),
      conflict: async world => ({ ...(await oneOfTwoAdministrators(world)), body: { disabled: true } }),
    },
  },
  deleteUser: {
    access: 'admin',
    scope: 'session',
    call: async ({ admin }) => ({ path: { user_id: await admin.create(add, fresh()) } }),
    errors: {
      last_administrator: onlyAdministrator,
      conflict: oneOfTwoAdministrators,
      has_live_run: async ({ owner, idleWorker }) => {
        const skript_id = await owner.makeSkript();
        await owner.created('/joint-api/execute-skript/single-worker/start?wait_ms=0', {
          worker_id: idleWorker.id,
          skript_id,
        });
        return { path: { user_id: owner.id } };
      },
    },
  },
};
