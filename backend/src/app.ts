import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import cors from 'cors';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { AppModule } from './app.module.js';
import { AuditInterceptor } from './audit/audit.interceptor.js';
import { AuditLog } from './audit/audit-log.service.js';
import { BodyInterceptor } from './body.interceptor.js';
import type { Config } from './common/config.js';
import { ErrorFilter } from './common/error.filter.js';
import { cleanForwardedFor } from './common/forwarded-for.js';
import { NestLogger } from './common/logger.js';
import { QueryInterceptor } from './common/query.interceptor.js';
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
  app.use(
    pinoHttp({
      logger,
      genReqId: (_request, response) => {
        const id = randomUUID();
        response.setHeader('X-Request-Id', id);
        return id;
      },
      // Headers and bodies may carry secrets; the line says who asked for what and how it went.
      serializers: {
        req: ({ id, method, url }) => ({ id, method, path: String(url).split('?')[0] }),
        res: ({ statusCode }) => ({ status: statusCode }),
      },
      autoLogging: { ignore: request => request.url?.startsWith('/health/') ?? false },
      // What is not available has its line from the filter of errors.
      customLogLevel: (_request, { statusCode }) => (statusCode >= 500 && statusCode !== 503 ? 'error' : 'debug'),
    }),
  );
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
  app.useGlobalFilters(new ErrorFilter());
  app.useWebSocketAdapter(new IoAdapter(app));
  return app;
}
