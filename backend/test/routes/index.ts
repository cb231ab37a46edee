import { accountRoutes } from './account.js';
import { apiKeyRoutes } from './api-keys.js';
import { auditRoutes } from './audit.js';
import { echoRoutes } from './echoes.js';
import { executionRoutes } from './executions.js';
import { healthRoutes } from './health.js';
import { inputRoutes } from './inputs.js';
import { mongoRoutes } from './mongo.js';
import type { Routes } from './route.js';
import { scheduleRoutes } from './schedules.js';
import { skriptFileRoutes } from './skript-files.js';
import { skriptRoutes } from './skripts.js';
import { userRoutes } from './users.js';
import { websiteRoutes } from './website.js';
import { workerRoutes } from './workers.js';

/** Every route of openapi.yaml, by operationId: what the tests of all routes go through. One file per noun. */
export const ROUTES: Routes = {
  ...accountRoutes,
  ...apiKeyRoutes,
  ...auditRoutes,
  ...echoRoutes,
  ...executionRoutes,
  ...healthRoutes,
  ...inputRoutes,
  ...mongoRoutes,
  ...scheduleRoutes,
  ...skriptFileRoutes,
  ...skriptRoutes,
  ...userRoutes,
  ...websiteRoutes,
  ...workerRoutes,
};
