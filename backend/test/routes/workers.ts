import { TestWorker } from '../test-worker.js';
import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const add = '/joint-api/workers/addnew';
const addGroup = '/joint-api/worker-groups/addnew';

const newGroup = ({ admin }: World): Promise<{ id: string; name: string; key: string }> =>
  admin.created(addGroup, { name: unique() });

const group = async (world: World) => ({ path: { worker_group_id: (await newGroup(world)).id } });

/** Returns a group and its only worker, which is connected. */
async function groupWithWorker(world: World) {
  const { id, key } = await newGroup(world);
  const { welcome } = await TestWorker.connect(world.app, key);
  return { path: { worker_group_id: id }, workerId: welcome.worker_id };
}

const newWorker = ({ admin }: World): Promise<{ id: string; key: string }> => admin.created(add, { name: unique() });

/** Creates a worker that never connects and returns its path. */
const offline = async (world: World) => ({ path: { worker_id: (await newWorker(world)).id } });

/** Returns the path of a connected worker that accepts commands. */
async function online(world: World) {
  const { id, key } = await newWorker(world);
  await TestWorker.connect(world.app, key);
  return { path: { worker_id: id } };
}

const nameTaken = async (world: World) => {
  const { name } = await world.admin.created(add, { name: unique() });
  return { ...(await offline(world)), body: { name } };
};

async function assigned(world: World) {
  const { path } = await offline(world);
  await world.admin.created(`/joint-api/workers/${path.worker_id}/assignments/addnew`, { user_id: world.other.id });
  return { path: { ...path, user_id: world.other.id } };
}

async function assignedGroup(world: World) {
  const { path } = await group(world);
  await world.admin.created(`/joint-api/worker-groups/${path.worker_group_id}/assignments/addnew`, {
    user_id: world.other.id,
  });
  return { path: { ...path, user_id: world.other.id } };
}

export const workerRoutes: Routes = {
  listWorkers: { access: 'own' },
  createWorker: {
    access: 'admin',
    call: () => ({ body: { name: unique() } }),
    errors: {
      name_taken: async world => ({ body: (await nameTaken(world)).body }),
    },
  },
  getWorker: { access: 'own' },
  getWorkerHistory: { access: 'own' },
  updateWorker: {
    access: 'admin',
    call: async world => ({ ...(await offline(world)), body: { name: unique(), public: true } }),
    errors: { name_taken: nameTaken },
  },
  deleteWorker: {
    access: 'admin',
    call: offline,
    errors: {
      has_live_run: async ({ owner, idleWorker }) => {
        await owner.create('/joint-api/execute-skript/single-worker/start?wait_ms=0', {
          worker_id: idleWorker.id,
          skript_id: await owner.makeSkript(),
        });
        return { path: { worker_id: idleWorker.id } };
      },
    },
  },
  rotateWorkerKey: {
    access: 'admin',
    call: offline,
    errors: {
      conflict: async world => ({ path: { worker_id: (await groupWithWorker(world)).workerId } }),
    },
  },
  restartWorker: {
    access: 'admin',
    call: async world => ({ ...(await online(world)), body: { mode: 'drain' } }),
    // Developers may restart a private worker of their own, but they cannot see this worker.
    expect: { owner: 404, other: 404 },
    errors: {
      // This worker is public, so other users can use it, too. That is why the owner may not restart it.
      forbidden: ({ worker }) => ({ as: 'owner', path: { worker_id: worker.id }, body: { mode: 'drain' } }),
      worker_offline: async world => ({ ...(await offline(world)), body: { mode: 'stop' } }),
    },
  },
  listWorkerGroups: { access: 'admin' },
  createWorkerGroup: {
    access: 'admin',
    call: () => ({ body: { name: unique() } }),
    errors: {
      name_taken: async world => ({ body: { name: (await newGroup(world)).name } }),
    },
  },
  updateWorkerGroup: {
    access: 'admin',
    call: async world => ({ ...(await group(world)), body: { name: unique(), public: true } }),
    errors: {
      name_taken: async world => ({ ...(await group(world)), body: { name: (await newGroup(world)).name } }),
    },
  },
  rotateWorkerGroupKey: { access: 'admin', call: group },
  listWorkerGroupAssignments: { access: 'admin', call: group },
  createWorkerGroupAssignment: {
    access: 'admin',
    call: async world => ({ ...(await group(world)), body: { user_id: world.other.id } }),
    errors: {
      conflict: async world => {
        const { path } = await assignedGroup(world);
        return { path: { worker_group_id: path.worker_group_id }, body: { user_id: path.user_id } };
      },
    },
  },
  deleteWorkerGroupAssignment: { access: 'admin', call: assignedGroup },
  deleteWorkerGroup: {
    access: 'admin',
    call: group,
    errors: {
      has_live_run: async world => {
        const { path, workerId } = await groupWithWorker(world);
        await world.admin.create('/joint-api/execute-skript/single-worker/start?wait_ms=0', {
          worker_id: workerId,
          skript_id: await world.admin.makeSkript(),
        });
        return { path };
      },
    },
  },
  listWorkerAssignments: { access: 'admin' },
  createWorkerAssignment: {
    access: 'admin',
    call: async world => ({ ...(await offline(world)), body: { user_id: world.other.id } }),
    errors: {
      conflict: async world => {
        const { path } = await assigned(world);
        return { path: { worker_id: path.worker_id }, body: { user_id: path.user_id } };
      },
    },
  },
  deleteWorkerAssignment: { access: 'admin', call: assigned },
};
