import { randomUUID } from 'node:crypto';
import { unique, type World } from '../world.js';
import { type Routes, takenName } from './route.js';

const add = '/joint-api/webhooks/addnew';
/** The name of the receiver never resolves, so nothing leaves this machine. */
const fresh = () => ({ name: unique(), url: 'https://receiver.invalid/hook', events: ['run.stopped'] });

/** Makes a call to a webhook of the owner that is disabled. */
const disabled = async ({ owner }: World) => {
  const webhook_id = await owner.create(add, fresh());
  await owner.api('PUT', `/joint-api/webhooks/${webhook_id}`, { enabled: false });
  return { path: { webhook_id } };
};

export const webhookRoutes: Routes = {
  listWebhooks: { access: 'own' },
  createWebhook: {
    access: 'own',
    call: () => ({ body: fresh() }),
    errors: {
      not_found: () => ({ body: { ...fresh(), skript_id: randomUUID() } }),
      name_taken: async ({ owner }) => ({ body: { ...fresh(), name: (await owner.created(add, fresh())).name } }),
    },
  },
  getWebhook: { access: 'owned' },
  updateWebhook: {
    access: 'owned',
    call: () => ({ body: { events: ['run.stopped', 'worker.lost'] } }),
    errors: { name_taken: takenName(add, fresh) },
  },
  deleteWebhook: {
    access: 'owned',
    call: async ({ owner }) => ({ path: { webhook_id: await owner.create(add, fresh()) } }),
  },
  rotateWebhookSecret: { access: 'owned' },
  testWebhook: { access: 'owned', errors: { conflict: disabled } },
  listWebhookDeliveries: { access: 'owned' },
  getWebhookDelivery: { access: 'owned' },
  getWebhookDeliveryRequest: { access: 'owned', scope: 'all' },
  resendWebhookDelivery: { access: 'owned', errors: { conflict: disabled } },
};
