import { accountRoutes } from './account.js';
import { apiKeyRoutes } from './api-keys.js';
import { auditRoutes } from './audit.js';
import { echoRoutes } from './echoes.js';
import { executionRoutes } from './executions.js';
import { exportRoutes } from './exports.js';
import { healthRoutes } from './health.js';
import { importRoutes } from './imports.js';
import { inputRoutes } from './inputs.js';
import { issueRoutes } from './issues.js';
import { maintenanceRoutes } from './maintenance.js';
import { mongoRoutes } from './mongo.js';
import { politeDomainRoutes } from './polite-domains.js';
import { postgresRoutes } from './postgres.js';
import { proxyRoutes } from './proxies.js';
import { queueRoutes } from './queues.js';
import type { Routes } from './route.js';
import { scheduleRoutes } from './schedules.js';
import { siteSessionRoutes } from './site-sessions.js';
import { skriptFileRoutes } from './skript-files.js';
import { skriptRoutes } from './skripts.js';
import { userRoutes } from './users.js';
import { webhookRoutes } from './webhooks.js';
import { websiteRoutes } from './website.js';
import { workerRoutes } from './workers.js';

/** The tables of all routes, by the noun of their file. */
export const ROUTES_BY_NOUN: Record<string, Routes> = {
  'the account': accountRoutes,
  'API keys': apiKeyRoutes,
  'the audit log': auditRoutes,
  echoes: echoRoutes,
  executions: executionRoutes,
  exports: exportRoutes,
  health: healthRoutes,
  imports: importRoutes,
  inputs: inputRoutes,
  issues: issueRoutes,
  MongoDB: mongoRoutes,
  'polite domains': politeDomainRoutes,
  PostgreSQL: postgresRoutes,
  proxies: proxyRoutes,
  queues: queueRoutes,
  schedules: scheduleRoutes,
  sessions: siteSessionRoutes,
  'skript files': skriptFileRoutes,
  skripts: skriptRoutes,
  users: userRoutes,
  webhooks: webhookRoutes,
  'the website': websiteRoutes,
  workers: workerRoutes,
  // Last, because runs of other tests would wait for the end of a maintenance.
  maintenance: maintenanceRoutes,
};

/** Every route of openapi.yaml, by operationId. The tests that cover all routes use this table. */
export const ROUTES: Routes = Object.assign({}, ...Object.values(ROUTES_BY_NOUN));
