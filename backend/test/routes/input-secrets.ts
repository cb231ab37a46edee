import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const add = '/joint-api/input-secrets/addnew';
const fresh = ({ owner }: World) => ({
  skript_id: owner.things.skript_id,
  name: `inputSecret-${unique()}.json`,
  val: { page: 1, tags: [null] },
});

export const inputSecretRoutes: Routes = {
  listInputSecrets: { access: 'own' },
  createInputSecret: {
    access: 'owned',
    call: world => ({ body: fresh(world) }),
    errors: {
      name_taken: async world => {
        const body = fresh(world);
        await world.owner.create(add, body);
        return { body };
      },
      payload_too_large: world => ({ body: { ...fresh(world), val: 'x'.repeat(300 * 1024) } }),
    },
  },
  getInputSecret: { access: 'owned' },
  updateInputSecret: {
    access: 'owned',
    call: () => ({ body: { val: ['changed'] } }),
    errors: {
      name_taken: async world => {
        const { name } = await world.owner.created(add, fresh(world));
        return { body: { name } };
      },
    },
  },
  deleteInputSecret: {
    access: 'owned',
    call: async world => ({ path: { inputSecret_id: await world.owner.create(add, fresh(world)) } }),
  },
};
