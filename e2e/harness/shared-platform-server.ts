/**
 * Runs in the process that starts Jest (scripts/jest/e2e.setup.mjs). Test files in Jest's worker processes ask it for
 * the shared platform, which it starts when the first file asks and stops when all tests are over.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openCrowdedRegistry } from '../neighbours/crowded-registry.js';
import { Platform } from './platform.js';
import { freePorts } from './ports.js';
import { WITH_BROWSER } from './worker-process.js';

/** Number of ports for test files that serve pages. It is larger than the number of these files today. */
const RESERVED_PORTS = 16;

/** The data about the shared platform that a test file gets. */
export interface SharedPlatformFacts {
  url: string;
  dataDir: string;
  databaseUrl: string;
  workerId: string;
  /** An npm registry with packages such as `crowd-200-x`, which has 200 files. */
  registryUrl: string;
}

export interface SharedPlatformServer {
  url: string;
  /** Stops the server, and the platform if it was started. */
  close(): Promise<void>;
}

export async function openSharedPlatformServer(): Promise<SharedPlatformServer> {
  const firstPort = await freePorts(RESERVED_PORTS);
  const ports = Array.from({ length: RESERVED_PORTS }, (_, index) => firstPort + index);
  const registry = await openCrowdedRegistry();
  let platform: Promise<Platform> | undefined;
  let portsTaken = 0;

  const answers: Record<string, () => Promise<object>> = {
    '/platform': async () => {
      platform ??= startPlatform(ports, registry.url);
      return factsOf(await platform, registry.url);
    },
    '/port': async () => {
      const port = ports[portsTaken++];
      if (port === undefined) throw new Error(`All ${RESERVED_PORTS} reserved ports are taken: raise RESERVED_PORTS.`);
      return { port };
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''] ?? (() => Promise.reject(new Error(`${request.url} is unknown.`)));
    answer().then(
      body => send(response, 200, body),
      error => send(response, 500, { message: (error as Error).message }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await registry.close();
      await platform?.then(
        started => started.close(),
        () => {}, // the test files that asked have failed with this error
      );
    },
  };
}

export function startPlatform(ports: number[], registryUrl: string): Promise<Platform> {
  const addresses = ports.map(port => `http://127.0.0.1:${port}`);
  return Platform.start({
    // Trust loopback as a proxy. Then the limits per client address count each test file separately (see
    // PlatformClient).
    backendEnv: {
      TRAWL_TRUSTED_PROXIES: '127.0.0.1',
      TRAWL_CORS_ORIGINS: addresses.join(','),
      TRAWL_NPM_REGISTRY: registryUrl,
    },
    mayReach: addresses,
    ownWebsite: true,
    // Several test files run skripts at the same time.
    workerEnv: { ...WITH_BROWSER, TRAWL_SLOTS: '8', TRAWL_NPM_REGISTRY: registryUrl },
  });
}

/** @throws Error if a process of the platform has ended, with its log */
export function factsOf(platform: Platform, registryUrl: string): SharedPlatformFacts {
  const { url, dataDir, databaseUrl, workerId, backend, worker } = platform;
  const end = backend.end ?? worker.end;
  if (end) throw new Error(`The shared platform is gone: ${end}`);
  return { url, dataDir, databaseUrl, workerId, registryUrl };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
