import { unique, type World } from '../world.js';
import type { Routes } from './route.js';

const add = '/joint-api/inputs/addnew';
const fresh = ({ owner }: World) => ({
  skript_id: owner.things.skript_id,
  name: `input-${unique()}.json`,
  val: { page: 1, tags: [null] },
});

export const inputRoutes: Routes = {
  listInputs: { access: 'own' },
  createInput: {
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
  getInput: { access: 'owned' },
  updateInput: {
    access: 'owned',
    call: () => ({ body: { val: ['changed'] } }),
    errors: {
      name_taken: async world => {
        const { name } = await world.owner.created(add, fresh(world));
        return { body: { name } };
      },
    },
  },
  deleteInput: {
    access: 'owned',
    call: async world => ({ path: { input_id: await world.owner.create(add, fresh(world)) } }),
  },
};
