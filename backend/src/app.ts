import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import cors from 'cors';
import type { Logger } from 'pino';
import { AppModule } from './app.module.js';
import { closeWhileStopping } from './operation/health/close-while-stopping.js';
import { Readiness } from './operation/health/readiness.service.js';
import { timeRequests } from './operation/metrics/request-times.js';
import { serveSite } from './operation/site/site.js';
import { Website } from './operation/site/website.js';
import type { Config } from './platform/common/config.js';
import { NestLogger } from './platform/common/logger.js';
import { Metrics } from './platform/common/metrics.service.js';
import { limitBodyTime } from './platform/http/body/body-time.js';
import { cleanForwardedFor } from './platform/http/forwarded-for.js';
import { closeQueuedResponses } from './platform/http/queued-responses.js';
import { requestLog } from './platform/http/request-log.js';
import { requestSpans } from './platform/http/request-spans.js';
import { SocketAdapter } from './runs/gateways/socket-adapter.js';

/**
 * Time after which an unused connection closes. Proxies keep theirs for up to two minutes; if the backend closed a
 * connection first, a call that the proxy has just sent on it would fail.
 */
const KEEP_ALIVE_MS = 130_000;

/**
 * Creates the application, but does not listen on a port. With `preview` it connects to no database; this is used to
 * generate the OpenAPI document.
 */
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
  // The list is empty by default: then the client's address is that of the connection, and `X-Forwarded-For` is
  // ignored.
  app.set('trust proxy', config.trustedProxies);
  app.use(closeQueuedResponses);
  app.use(closeWhileStopping(app.get(Readiness)));
  app.use(cleanForwardedFor);
  app.use(requestLog(logger));
  if (config.tracing) app.use(requestSpans);
  if (config.metrics) app.use(timeRequests(app.get(Metrics)));
  app.getHttpServer().requestTimeout = 0;
  app.getHttpServer().keepAliveTimeout = KEEP_ALIVE_MS;
  app.use(limitBodyTime);
  if (!preview) app.use(serveSite(new Website(config), config));
  // This comes before all code that can refuse a request. Otherwise a website on another origin could not read the
  // error.
  app.use(['/ip', '/www'], cors({ origin: config.corsOrigins, exposedHeaders: ['Retry-After'] }));
  app.useWebSocketAdapter(new SocketAdapter(app));
  return app;
}
