import { type Person, unique, type World } from '../world.js';
import type { Call, Routes } from './route.js';

const file = (text: string): Call => ({
  body: Buffer.from(text),
  headers: { 'content-type': 'text/csv' },
});

/** Uploads a file, and returns the id of the import. */
export async function upload({ api }: Person, text = 'title,price\nEmma,12\n'): Promise<string> {
  const { body, headers } = file(text);
  const answer = await api('POST', '/joint-api/imports/upload', body, headers);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

const fresh = async ({ owner }: World) => ({ path: { import_id: await upload(owner) } });
const target = ({ owner: { things } }: World) => ({ db_id: things.db_id, collection: unique() });

/** The import that everybody has is done. */
const done = () => ({});

export const importRoutes: Routes = {
  listImports: { access: 'own' },
  uploadImport: {
    access: 'own',
    call: () => file('title,price\nEmma,12\n'),
    errors: {
      bad_request: () => file(''),
      payload_too_large: ({ app }) => file('x'.repeat(app.config.importBytes + 1)),
      unsupported_media_type: () => ({ ...file('x'), headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
      quota_exceeded: async ({ app, other }) => {
        const half = 'x'.repeat(app.config.importBytes / 2);
        await upload(other, half);
        return { ...file(`${half}x`), as: 'other' };
      },
    },
  },
  getImport: { access: 'owned' },
  previewImport: { access: 'owned', call: fresh, errors: { conflict: done } },
  startImport: {
    access: 'owned',
    call: async world => ({ ...(await fresh(world)), body: target(world) }),
    errors: {
      conflict: world => ({ body: target(world) }),
      storage_rejected: async world => {
        const { collection } = world.owner.things;
        return { ...(await fresh(world)), body: { ...target(world), collection, key: ['title'] } };
      },
    },
  },
  cancelImport: { access: 'owned', errors: { conflict: fresh } },
  downloadBadRows: { access: 'owned' },
  deleteImport: {
    access: 'owned',
    call: fresh,
    errors: {
      conflict: async world => {
        const call = await fresh(world);
        await world.app.sql(`UPDATE imports SET staging = 'importing-x' WHERE id = $1`, [call.path.import_id]);
        return call;
      },
    },
  },
};
