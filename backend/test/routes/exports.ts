import { ExportFilesService } from '../../src/transfers/exports/export-files.service.js';
import { until } from '../until.js';
import { unique, type World } from '../world.js';
import { makeRow } from './executions.js';
import { brokenView } from './postgres.js';
import { type Routes, takenName } from './route.js';

const fresh = ({ owner: { things } }: World) => ({ db_id: things.db_id, collection: things.collection });
const freshExport = async (world: World) => ({
  path: { export_id: await world.owner.create('/joint-api/exports/addnew', fresh(world)) },
});

const WIDE = Object.fromEntries(Array.from({ length: 16_385 }, (_, n) => [`field${n}`, n]));

/** Creates a document with more fields than a file may have columns. */
async function wideCollection({ owner }: World): Promise<string> {
  const name = 'wide';
  await owner.makeDocument(WIDE, name);
  return name;
}

/** Adds a row with more fields than a file may have columns to the run of `skriptExecution_id`. */
async function makeWideRow(world: World): Promise<void> {
  const { skript_id, skriptExecution_id } = world.owner.things;
  await makeRow(world, `dataset_${skript_id}`, { ...WIDE, _run: skriptExecution_id });
}

/** Creates a table with an object that has more fields than a file may have columns. */
async function wideTable(world: World): Promise<string> {
  const name = unique();
  const sql = `CREATE TABLE ${name} AS SELECT json_object_agg(n, n) AS o FROM generate_series(1, 16385) n`;
  await world.owner.created('/joint-api/postgres/query', { sql, read_only: false });
  return name;
}

/** Makes a failed export, which has no file. */
async function failedExport({ app, owner }: World): Promise<string> {
  const [row] = await app.sql<{ id: string }>(
    `INSERT INTO jobs (id, owner_id, kind, params, state, ended_at)
     SELECT gen_random_uuid(), owner_id, kind, params, 'failed', now() FROM jobs WHERE id = $1 RETURNING id`,
    [owner.things.export_id],
  );
  return String(row?.id);
}

const addExporter = '/joint-api/exporters/addnew';
const freshExporter = (world: World) => ({ ...fresh(world), name: unique() });
const ownExporter = async (world: World) => ({
  path: { exporter_id: await world.owner.create(addExporter, freshExporter(world)) },
});

/** Makes an exporter of the rows of runs, which starts only after runs. */
const exporterOfRuns = async (world: World) => ({
  path: {
    exporter_id: await world.owner.create(addExporter, {
      name: unique(),
      source: 'run',
      skript_id: world.owner.things.skript_id,
    }),
  },
});

/** Makes an exporter with an export that never ends. */
async function busyExporter(world: World, fields: object = {}) {
  const path = { exporter_id: await world.owner.create(addExporter, { ...freshExporter(world), ...fields }) };
  // No backend takes or ends a queued job after so many attempts.
  await world.app.sql(
    `INSERT INTO jobs (id, owner_id, kind, attempt, params)
     SELECT gen_random_uuid(), owner_id, 'export', 100, params::jsonb || jsonb_build_object('exporter_id', id)
     FROM exporters WHERE id = $1`,
    [path.exporter_id],
  );
  return { path };
}

const REFUSED_FILTER = '{"$where":"true"}';

export const exportRoutes: Routes = {
  exportMongoDocuments: {
    access: 'owned',
    errors: {
      storage_rejected: () => ({ query: { filter: REFUSED_FILTER } }),
      payload_too_large: async world => ({ path: { collection: await wideCollection(world) } }),
    },
  },
  exportRunRows: {
    access: 'owned',
    errors: {
      storage_rejected: () => ({ query: { filter: REFUSED_FILTER } }),
      payload_too_large: async world => {
        await makeWideRow(world);
        return {};
      },
    },
  },
  exportPostgresTable: {
    access: 'owned',
    errors: {
      not_found: () => ({ path: { table: unique() } }),
      storage_rejected: async world => ({ path: { table: await brokenView(world) } }),
      payload_too_large: async world => ({ path: { table: await wideTable(world) } }),
    },
  },
  listExports: { access: 'own' },
  createExport: {
    access: 'owned',
    call: world => ({ body: fresh(world) }),
    errors: { storage_rejected: world => ({ body: { ...fresh(world), filter: REFUSED_FILTER } }) },
  },
  getExport: { access: 'owned' },
  cancelExport: { access: 'owned' },
  deleteExport: { access: 'owned', call: freshExport },
  downloadExport: {
    access: 'owned',
    errors: { conflict: async world => ({ path: { export_id: await failedExport(world) } }) },
  },
  downloadExportByLink: {
    access: 'public',
    call: async world => {
      const export_id = await world.owner.create('/joint-api/exports/addnew', { ...fresh(world), fields: 'price' });
      await until(
        async () => (await world.owner.api('GET', `/joint-api/exports/${export_id}`)).body.state,
        state => state === 'done',
      );
      const link = world.app.part(ExportFilesService).linkTo(export_id);
      return { path: { export_id }, query: { signature: new URL(link).searchParams.get('signature') } };
    },
  },

  listExporters: { access: 'own' },
  createExporter: {
    access: 'owned',
    call: world => ({ body: freshExporter(world) }),
    errors: {
      name_taken: async world => {
        const body = freshExporter(world);
        await world.owner.create(addExporter, body);
        return { body };
      },
      storage_rejected: world => ({ body: { ...freshExporter(world), filter: REFUSED_FILTER } }),
    },
  },
  getExporter: { access: 'owned' },
  updateExporter: {
    access: 'owned',
    call: () => ({ body: { enabled: true } }),
    errors: {
      name_taken: takenName(addExporter, freshExporter),
      conflict: async world => {
        const { path } = await busyExporter(world, { only_new: true });
        return { path, body: { collection: unique() } };
      },
      storage_rejected: () => ({ body: { filter: REFUSED_FILTER } }),
    },
  },
  deleteExporter: { access: 'owned', call: ownExporter },
  runExporter: {
    access: 'owned',
    call: ownExporter,
    errors: { conflict: world => busyExporter(world), storage_rejected: exporterOfRuns },
  },
};
