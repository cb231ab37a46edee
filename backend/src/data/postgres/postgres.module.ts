import { Module } from '@nestjs/common';
import { JobsModule } from '../../platform/jobs/jobs.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { PostgresConsoleController } from './console/postgres-console.controller.js';
import { PostgresConsoleService } from './console/postgres-console.service.js';
import { PostgresDatabasesService } from './databases/postgres-databases.service.js';
import { PostgresDeletionService } from './deletion/postgres-deletion.service.js';
import { HeldSessionsService } from './runs/held-sessions.service.js';
import { PostgresOperationsService } from './runs/postgres-operations.service.js';
import { RunawaysService } from './server/runaways.service.js';
import { UserServerService } from './server/user-server.service.js';
import { TransactionOutcomesService } from './sessions/transaction-outcomes.service.js';
import { UserRowsService } from './sessions/user-rows.service.js';
import { UserSessionsService } from './sessions/user-sessions.service.js';
import { UserStatementsService } from './sessions/user-statements.service.js';
import { PostgresTablesController } from './tables/postgres-tables.controller.js';
import { PostgresTablesService } from './tables/postgres-tables.service.js';
import { PostgresUsageService } from './usage/postgres-usage.service.js';

@Module({
  imports: [JobsModule, StorageModule],
  controllers: [PostgresConsoleController, PostgresTablesController],
  providers: [
    HeldSessionsService,
    PostgresConsoleService,
    PostgresDatabasesService,
    PostgresDeletionService,
    PostgresOperationsService,
    PostgresTablesService,
    PostgresUsageService,
    RunawaysService,
    TransactionOutcomesService,
    UserRowsService,
    UserServerService,
    UserSessionsService,
    UserStatementsService,
  ],
  exports: [
    PostgresDatabasesService,
    PostgresDeletionService,
    PostgresOperationsService,
    PostgresTablesService,
    PostgresUsageService,
    TransactionOutcomesService,
    UserRowsService,
    UserSessionsService,
    UserStatementsService,
  ],
})
export class PostgresModule {}
