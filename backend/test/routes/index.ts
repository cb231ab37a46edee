import { accountRoutes } from './account.js';
import { apiKeyRoutes } from './api-keys.js';
import { auditRoutes } from './audit.js';
import { echoRoutes } from './echoes.js';
import { executionRoutes } from './executions.js';
import { exportRoutes } from './exports.js';
import { healthRoutes } from './health.js';
import { importRoutes } from './imports.js';
import { inputRoutes } from './inputs.js';
import { maintenanceRoutes } from './maintenance.js';
import { mongoRoutes } from './mongo.js';
import { postgresRoutes } from './postgres.js';
import type { Routes } from './route.js';
import { scheduleRoutes } from './schedules.js';
import { skriptFileRoutes } from './skript-files.js';
import { skriptRoutes } from './skripts.js';
import { userRoutes } from './users.js';
import { webhookRoutes } from './webhooks.js';
import { websiteRoutes } from './website.js';
import { workerRoutes } from './workers.js';

/**
 * Every route of openapi.yaml, by operationId. The tests that cover all routes use this table. Each kind of resource
 * has its own file.
 */
export const ROUTES: Routes = {
  ...accountRoutes,
  ...apiKeyRoutes,
  ...auditRoutes,
  ...echoRoutes,
  ...executionRoutes,
  ...exportRoutes,
  ...healthRoutes,
  ...importRoutes,
  ...inputRoutes,
  ...mongoRoutes,
  ...postgresRoutes,
  ...scheduleRoutes,
  ...skriptFileRoutes,
  ...skriptRoutes,
  ...userRoutes,
  ...webhookRoutes,
  ...websiteRoutes,
  ...workerRoutes,
  // Last, because runs of other tests would wait for the end of a maintenance.
  ...maintenanceRoutes,
};
