import { LIMITS } from '@trawl/contracts';
import { skriptZip, zipOf } from '../test-zip.js';
import { type Person, unique, type World } from '../world.js';
import { type Call, oncePer, type Routes } from './route.js';

const add = '/joint-api/skripts/addnew';

const manifest = (title: string): string => JSON.stringify({ title });
const fileList = (files: Record<string, string>): Call => ({
  body: { files: Object.entries(files).map(([name, content]) => ({ name, content })) },
});

/** Adds skripts with more than 12 MB of thumbnails, and returns their category. */
const largeThumbnails = oncePer(async ({ owner }: World) => {
  const thumbnail = `data:image/png;base64,${'A'.repeat(200_000)}`;
  const category = unique();
  for (let n = 0; n < 61; n += 1) await owner.created(add, { title: unique(), category, thumbnail });
  return category;
});

export const skriptRoutes: Routes = {
  listSkripts: {
    access: 'own',
    errors: {
      payload_too_large: async world => ({ query: { limit: 1_000, category: await largeThumbnails(world) } }),
    },
  },
  createSkript: {
    access: 'own',
    call: () => ({ body: { title: unique() } }),
    errors: {
      title_taken: async ({ owner }) => {
        const { title } = await owner.created(add, { title: unique() });
        return { body: { title } };
      },
    },
  },
  purgeSkripts: {
    access: 'own',
    // Start a run of the skript that later calls need: a purge does not delete skripts with a live run.
    call: async ({ owner, other, idleWorker }) => {
      for (const { api, things } of [owner, other]) {
        const run = { worker_id: idleWorker.id, skript_id: things.skript_id };
        await api('POST', '/joint-api/execute-skript/single-worker/start?wait_ms=0', run);
      }
      return { body: { confirm: true } };
    },
  },
  getSkript: { access: 'owned' },
  updateSkript: {
    access: 'owned',
    call: () => ({ body: { description: 'Changed.' } }),
    errors: {
      title_taken: async ({ owner }) => {
        const { title } = await owner.created(add, { title: unique() });
        return { body: { title } };
      },
    },
  },
  deleteSkript: {
    access: 'owned',
    call: async ({ owner }) => ({ path: { skript_id: await owner.makeSkript() } }),
    errors: {
      has_live_run: async ({ owner, idleWorker }) => {
        const skript_id = await owner.makeSkript();
        const start = '/joint-api/execute-skript/single-worker/start?wait_ms=0';
        await owner.create(start, { worker_id: idleWorker.id, skript_id });
        return { path: { skript_id } };
      },
    },
  },
  bundleSkript: {
    access: 'owned',
    errors: {
      main_missing: async ({ owner }) => ({ path: { skript_id: await owner.makeSkript({ mainJs: null }) } }),
      bundle_failed: async ({ owner }) => ({
        path: { skript_id: await owner.makeSkript({ mainJs: 'const broken =' }) },
      }),
    },
  },
  getLibraryTypes: { access: 'owned' },
  uploadSkript: {
    access: 'own',
    call: () => archive(skriptZip(unique())),
    errors: {
      archive_invalid: () => archive(skriptZip(unique(), [{ name: '../x.js' }])),
      manifest_missing: () => archive(zipOf([{ name: 'main.js' }])),
      manifest_invalid: () => archive(skriptZip('')),
      title_taken: async ({ owner }) => {
        const zip = archive(skriptZip(unique()));
        await owner.api('POST', '/joint-api/skripts/upload', ...bodyOf(zip));
        return { ...zip, query: { overwrite: false } };
      },
      main_missing: () => archive(zipOf([{ name: 'manifest.json', content: '{ "title": "x" }' }])),
      name_taken: async ({ owner }) => {
        const title = unique();
        const secret = (name: string) => ({ name: `inputSecret-${name}.json`, content: '1' });
        await owner.api('POST', '/joint-api/skripts/upload', ...bodyOf(archive(skriptZip(title, [secret('a')]))));
        return archive(skriptZip(title, [secret('A')]));
      },
      payload_too_large: () => archive(Buffer.alloc(LIMITS.archiveBytes + 1)),
      // Only this route reports such a body as a bad request. Other routes would read it as JSON.
      bad_request: () => archive(Buffer.alloc(0)),
    },
  },
  uploadSkriptFiles: {
    access: 'own',
    call: () => fileList({ 'manifest.json': manifest(unique()), 'main.js': '' }),
    errors: {
      archive_invalid: () => fileList({ 'manifest.json': manifest(unique()), 'main.js': '', '../x.js': '' }),
      manifest_missing: () => fileList({ 'main.js': '' }),
      manifest_invalid: () => fileList({ 'manifest.json': manifest(''), 'main.js': '' }),
      main_missing: () => fileList({ 'manifest.json': manifest(unique()) }),
      name_taken: async ({ owner }) => {
        const [title, secret] = [unique(), { 'main.js': '', 'inputSecret-a.json': '1' }];
        await owner.api(
          'POST',
          '/joint-api/skripts/upload-files',
          fileList({ 'manifest.json': manifest(title), ...secret }).body,
        );
        return fileList({ 'manifest.json': manifest(title), 'main.js': '', 'inputSecret-A.json': '1' });
      },
    },
  },
  downloadSkript: {
    access: 'owned',
    errors: {
      payload_too_large: async ({ owner }) => {
        const skript_id = await owner.makeSkript();
        const val = 'x'.repeat(LIMITS.inputBytes - 2);
        for (let bytes = 0; bytes <= LIMITS.archiveUnpackedBytes; bytes += val.length) {
          await owner.create('/joint-api/inputs/addnew', { skript_id, name: `input-${bytes}.json`, val });
        }
        return { path: { skript_id } };
      },
    },
  },
  listVersions: { access: 'owned' },
  compareVersions: {
    access: 'owned',
    call: async ({ owner }) => ({ query: { from: await versionOf(owner), to: 'current' } }),
  },
  getVersion: {
    access: 'owned',
    call: async ({ owner }) => ({ path: { hash: await versionOf(owner) } }),
  },
  restoreVersion: {
    access: 'owned',
    call: async ({ owner }) => ({ path: { hash: await versionOf(owner) } }),
    errors: {
      payload_too_large: async ({ other, app }) => {
        const hash = await versionOf(other);
        await other.api('DELETE', `/joint-api/skript-files/${other.things.skriptFile_id}`);
        await app.sql(`UPDATE users SET quotas = '{ "file_bytes": 1 }' WHERE id = $1`, [other.id]);
        return { as: 'other', path: { hash } };
      },
    },
  },
};

const archive = (body: Buffer): Call => ({ body, headers: { 'content-type': 'application/zip' } });
const bodyOf = ({ body, headers }: Call) => [body, headers] as const;

/** Returns the hash of a version of the user's skript. */
const versionOf = oncePer(async ({ created, things }: Person) => {
  const { hash } = await created(`/joint-api/skripts/${things.skript_id}/bundle`, {});
  return hash;
});
