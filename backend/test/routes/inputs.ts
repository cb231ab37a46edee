import { unique, type World } from '../world.js';
import { type Routes, takenName } from './route.js';

/** Makes the rows for inputs or input secrets, which have the same routes with different names. */
function routesOf(kind: { path: string; noun: string; id: string; prefix: string }): Routes {
  const { path, noun, id, prefix } = kind;
  const add = `/joint-api/${path}/addnew`;
  const fresh = ({ owner }: World) => ({
    skript_id: owner.things.skript_id,
    name: `${prefix}-${unique()}.json`,
    val: { page: 1, tags: [null] },
  });
  return {
    [`list${noun}s`]: { access: 'own' },
    [`create${noun}`]: {
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
    [`get${noun}`]: { access: 'owned' },
    [`update${noun}`]: {
      access: 'owned',
      call: () => ({ body: { val: ['changed'] } }),
      errors: { name_taken: takenName(add, fresh) },
    },
    [`delete${noun}`]: {
      access: 'owned',
      call: async world => ({ path: { [id]: await world.owner.create(add, fresh(world)) } }),
    },
  };
}

export const inputRoutes: Routes = {
  ...routesOf({ path: 'inputs', noun: 'Input', id: 'input_id', prefix: 'input' }),
  ...routesOf({ path: 'input-secrets', noun: 'InputSecret', id: 'inputSecret_id', prefix: 'inputSecret' }),
};
