import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import cors from 'cors';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AuditLog } from './audit/audit-log.service.js';
import { BodyInterceptor } from './body.interceptor.js';
import type { Config } from './common/config.js';
import { ErrorFilter } from './common/error.filter.js';
import { cleanForwardedFor } from './common/forwarded-for.js';
import { NestLogger } from './common/logger.js';
import { QueryInterceptor } from './common/query.interceptor.js';
import { requestLog } from './common/request-log.js';
import { strictValidation } from './common/strict-validation.pipe.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyKeysService } from './idempotency/idempotency-keys.service.js';
import { serveSite } from './site/site.js';

/** The whole application, not yet listening. `preview` builds it without databases, for its OpenAPI document. */
export async function createApp(
  config: Config,
  logger: Logger,
  { preview = false } = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(config, logger), {
    logger: new NestLogger(logger),
    bodyParser: false,
    preview,
    abortOnError: false,
    forceCloseConnections: true,
  });
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  // None by default: the address of a request is then that of its connection, whatever its headers say.
  app.set('trust proxy', config.trustedProxies);
  app.use(cleanForwardedFor);
  app.use(requestLog(logger));
  app.use(serveSite(config));
  // Before anything refuses a request: a page of another origin has to be able to read why.
  app.use(['/ip', '/www'], cors({ origin: config.corsOrigins, exposedHeaders: ['Retry-After'] }));
  app.useGlobalInterceptors(
    new QueryInterceptor(),
    new BodyInterceptor(),
    new IdempotencyInterceptor(() => app.get(IdempotencyKeysService)),
    new AuditInterceptor(() => app.get(AuditLog)),
  );
  app.useGlobalPipes(strictValidation());
  app.useGlobalFilters(new ErrorFilter(logger));
  app.useWebSocketAdapter(new IoAdapter(app));
  return app;
}
