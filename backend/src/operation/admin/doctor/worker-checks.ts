import { chromiumReleasedAt, isChromiumOld, MAX_CHROMIUM_AGE_DAYS } from '@trawl/contracts';
import { WORKER_STATUS } from '../../../runs/workers/worker-status.js';
import { connect } from '../schema.js';
import type { Platform } from '../settings.js';
import { bad, type Finding, ok } from './finding.js';

/** What PostgreSQL answers when a table or column is missing: before the first start, or after an older version. */
const MISSING = ['42P01', '42703'];

interface Browser {
  name: string;
  chromium: string;
}

/** Checks that no worker that is online has an old Chromium. Is silent without a database, which another check reports. */
export async function checkWorkers({ config }: Platform): Promise<Finding[]> {
  const client = await connect(config.postgresUrl).catch(() => null);
  if (!client) return [];
  try {
    const { rows } = await client.query<Browser>(
      `SELECT w.name, w.chromium FROM workers w LEFT JOIN worker_leases l ON l.worker_id = w.id
       WHERE w.chromium IS NOT NULL AND ${WORKER_STATUS} <> 'offline' ORDER BY w.name`,
    );
    const old = rows.filter(({ chromium }) => isChromiumOld(chromium)).map(tooOld);
    if (old.length > 0 || rows.length === 0) return old;
    return [ok(`No worker has a Chromium that is older than ${MAX_CHROMIUM_AGE_DAYS} days.`)];
  } catch (error) {
    if (MISSING.includes(String((error as { code?: string }).code))) return [];
    throw error;
  } finally {
    await client.end();
  }
}

function tooOld({ name, chromium }: Browser): Finding {
  const month = chromiumReleasedAt(chromium)?.toISOString().slice(0, 7);
  return bad(
    `The worker ${name} has Chromium ${chromium} of ${month}, which has known holes. Update Chromium on its machine, and restart it.`,
  );
}
