// Records the calls to workers and worker groups for record-api.mjs.
import { eventually } from './trawl-client.mjs';

/** A new platform has no samples yet. */
const SAMPLES = [
  { at: '2026-11-24T23:15:00.000Z', is_online: true, runs: 1, cpu: 0.4183, memory: 0.2411 },
  { at: '2026-11-24T23:20:00.000Z', is_online: true, runs: 0, cpu: 0.0412, memory: 0.1874 },
];

/** Restarts a connected worker, and waits until it is back. `admin` is a session of an admin. */
export async function recordWorkers({ record, go, call, admin }) {
  await go('listWorkers', 'GET', '/apps/workers/list?public=true&limit=1&sort=created_at');
  const asAdmin = { token: admin.token };
  const hideWorkerKey = { ...asAdmin, hide: { key: 'trw_…' } };
  const worker = await record('createWorker', 'POST', '/joint-api/workers/addnew', {
    body: { name: `paris-${(await admin.call('GET', '/apps/workers/list')).total}`, public: false },
    ...hideWorkerKey,
  });
  const workerPath = `/joint-api/workers/${worker.id}`;
  await record('getWorker', 'GET', workerPath, asAdmin);
  const { id: busyId } = (await admin.call('GET', '/apps/workers/list?public=true&limit=1')).items[0];
  await record('getWorkerHistory', 'GET', `/joint-api/workers/${busyId}/history`, {
    ...asAdmin,
    hide: { samples: SAMPLES },
  });
  await record('updateWorker', 'PUT', workerPath, { body: { public: true }, ...asAdmin });
  await record('rotateWorkerKey', 'POST', `${workerPath}/key`, hideWorkerKey);
  const { id: user_id } = await call('GET', '/joint-api/account');
  await record('createWorkerAssignment', 'POST', `${workerPath}/assignments/addnew`, { body: { user_id }, ...asAdmin });
  await record('listWorkerAssignments', 'GET', `${workerPath}/assignments/list`, asAdmin);
  await record('deleteWorkerAssignment', 'DELETE', `${workerPath}/assignments/${user_id}`, asAdmin);
  await record('deleteWorker', 'DELETE', workerPath, asAdmin);
  const group = await record('createWorkerGroup', 'POST', '/joint-api/worker-groups/addnew', {
    body: { name: `oslo-${Date.now()}`, public: true },
    ...hideWorkerKey,
  });
  const groupPath = `/joint-api/worker-groups/${group.id}`;
  await record('listWorkerGroups', 'GET', '/apps/worker-groups/list?limit=1', asAdmin);
  await record('updateWorkerGroup', 'PUT', groupPath, { body: { public: false }, ...asAdmin });
  const groupUsers = `${groupPath}/assignments`;
  await record('createWorkerGroupAssignment', 'POST', `${groupUsers}/addnew`, { body: { user_id }, ...asAdmin });
  await record('listWorkerGroupAssignments', 'GET', `${groupUsers}/list`, asAdmin);
  await record('deleteWorkerGroupAssignment', 'DELETE', `${groupUsers}/${user_id}`, asAdmin);
  await record('rotateWorkerGroupKey', 'POST', `${groupPath}/key`, hideWorkerKey);
  await record('deleteWorkerGroup', 'DELETE', groupPath, asAdmin);
  const connected = (await admin.call('GET', '/apps/workers/list')).items.find(({ status }) => status === 'online');
  await record('restartWorker', 'POST', `/joint-api/workers/${connected.id}/restart`, {
    body: { mode: 'drain' },
    ...asAdmin,
  });
  await eventually('the worker that was restarted', async () => {
    const { status } = await admin.call('GET', `/joint-api/workers/${connected.id}`);
    return status === 'online';
  });
}
