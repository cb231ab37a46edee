import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheDir, type EmbeddedDatabases, startEmbedded } from '@trawl/embedded';
import { startTestApp, type TestApp } from '../test-app.js';

type Api = Awaited<ReturnType<TestApp['as']>>;

/**
 * Starts an application for a test file whose accounts share one server of PostgreSQL, as on platforms whose
 * USER_POSTGRES_URL is an ordinary server. A server of its own, because the file attacks it.
 */
export function sharedServerForFile(): { app: TestApp; developer: Api; admin: Api } {
  const started = {} as { app: TestApp; developer: Api; admin: Api };
  const folder = mkdtempSync(join(tmpdir(), 'trawl-shared-users-'));
  let server: EmbeddedDatabases | undefined;
  beforeAll(async () => {
    chmodSync(folder, 0o711);
    server = await startEmbedded({
      dataDir: folder,
      cacheDir: cacheDir(),
      durable: false,
      onProgress: () => {},
      mongodbUri: String(process.env.TRAWL_TEST_MONGODB_URI),
    });
    started.app = await startTestApp({ settings: { userPostgresUrl: server.postgresUrl } });
    [started.developer, started.admin] = await Promise.all([started.app.as('developer'), started.app.as('admin')]);
  });
  afterAll(async () => {
    await started.app?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return started;
}
