import { unique, type World } from '../world.js';
import { type Routes, takenName } from './route.js';

const add = '/joint-api/skript-files/addnew';
const fresh = ({ owner }: World) => ({
  skript_id: owner.things.skript_id,
  name: `lib/${unique()}.js`,
  content: 'exports.page = 1;\n',
});

export const skriptFileRoutes: Routes = {
  listSkriptFiles: { access: 'own' },
  createSkriptFile: {
    access: 'owned',
    call: world => ({ body: fresh(world) }),
    errors: {
      name_taken: async world => {
        const body = fresh(world);
        await world.owner.create(add, body);
        return { body: { ...body, name: body.name.toUpperCase() } };
      },
    },
  },
  getSkriptFile: { access: 'owned' },
  updateSkriptFile: {
    access: 'owned',
    call: () => ({ body: { content: 'exports.page = 2;\n' } }),
    errors: {
      name_taken: takenName(add, fresh),
      precondition_failed: () => ({ headers: { 'if-match': '"another text"' }, body: { content: '' } }),
    },
  },
  deleteSkriptFile: {
    access: 'owned',
    call: async world => ({ path: { skriptFile_id: await world.owner.create(add, fresh(world)) } }),
  },
};
