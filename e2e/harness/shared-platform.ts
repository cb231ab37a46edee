import { randomBytes } from 'node:crypto';
import type { Credential, Role } from '@trawl/contracts';
import { openCrowdedRegistry } from '../neighbours/crowded-registry.js';
import { isInContainers } from './child.js';
import { needed } from './needed.js';
import { onServer } from './platform.js';
import { PlatformClient } from './platform-client.js';
import { factsOf, type SharedPlatformFacts, startPlatform } from './shared-platform-server.js';
import { WorkerProcess } from './worker-process.js';

/**
 * The platform that test files share. Each file has a developer account of its own, so it does not see the data of the
 * other files.
 */
export class SharedPlatform extends PlatformClient {
  #developer: Credential | undefined;
  /** Id of the file's developer. */
  developerId = '';
  registryUrl = '';
  #ownWorker: WorkerProcess | undefined;
  /** What `#openOwn` has started. */
  readonly #own: { close(): Promise<void> }[] = [];

  override credential(role: Role): Credential {
    return role === 'developer' && this.#developer ? this.#developer : super.credential(role);
  }

  /** Finds the platform and creates the file's developer. */
  async open(): Promise<void> {
    const { databaseUrl, ...facts } = isInContainers()
      ? await this.#openOwn()
      : await ask<SharedPlatformFacts>('/platform');
    Object.assign(this, facts);
    const username = `story-${randomBytes(6).toString('hex')}@example.com`;
    const password = randomBytes(12).toString('hex');
    const admin = await this.as('admin');
    const { status, body } = await admin('POST', '/joint-api/users/addnew', { username, password, role: 'developer' });
    if (status !== 201) throw new Error(`The test's account was not created: ${JSON.stringify(body)}`);
    // `built_in` makes this account like the developer account of the first start: it has no quotas, and it may run
    // skripts on machines without a full sandbox.
    await onServer(databaseUrl, 'UPDATE users SET built_in = true WHERE id = $1', [body.id]);
    this.#developer = { role: 'developer', username, password };
    this.developerId = body.id;
  }

  /** Starts a platform for this file alone, because the shared one runs in processes. */
  async #openOwn(): Promise<SharedPlatformFacts> {
    const registry = await openCrowdedRegistry();
    this.#own.push(registry);
    const platform = await startPlatform([], registry.url);
    this.#own.push(platform);
    return factsOf(platform, registry.url);
  }

  /**
   * Returns a loopback port for a server of the test. Runs can connect to it, and pages from it can send the website's
   * forms to the platform.
   */
  async reservedPort(): Promise<number> {
    return (await ask<{ port: number }>('/port')).port;
  }

  /** Starts a worker that only this file's developer may use. From now on it runs all skripts of this file. */
  async startOwnWorker(env: Record<string, string> = {}): Promise<WorkerProcess> {
    const admin = await this.as('admin');
    const registration = { name: `own-${randomBytes(4).toString('hex')}`, public: false };
    this.#ownWorker = await WorkerProcess.start(admin, registration, { TRAWL_URL: this.url, ...env });
    this.workerId = this.#ownWorker.id;
    await admin('POST', `/joint-api/workers/${this.workerId}/assignments/addnew`, { user_id: this.developerId });
    return this.#ownWorker;
  }

  /** Fails if the platform has ended in the meantime, because that explains why tests failed. */
  async close(): Promise<void> {
    await this.#ownWorker?.close();
    for (const started of this.#own.reverse()) await started.close();
    if (this.#own.length === 0) await ask<SharedPlatformFacts>('/platform');
  }
}

/** Connects the calling test file to the shared platform before its tests. */
export function sharedPlatform(): SharedPlatform {
  const platform = new SharedPlatform();
  beforeAll(() => platform.open());
  afterAll(() => platform.close());
  return platform;
}

async function ask<T>(path: string): Promise<T> {
  const response = await fetch(needed('TRAWL_TEST_SHARED_PLATFORM') + path);
  const body = await response.json();
  if (!response.ok) throw new Error((body as { message: string }).message);
  return body as T;
}
