import { makeQueue } from '../rows/make-queue.js';
import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const added = async ({ app, owner }: World) => ({ path: { queue_id: await makeQueue(app, owner.id, unique()) } });

export const queueRoutes: Routes = {
  listQueues: { access: 'own' },
  getQueue: { access: 'owned' },
  listQueueHosts: { access: 'owned' },
  retryFailedRequests: { access: 'owned' },
  emptyQueue: { access: 'owned' },
  deleteQueue: { access: 'owned', call: added },
};
