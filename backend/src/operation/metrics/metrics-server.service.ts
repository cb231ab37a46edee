import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import { CONFIG, type Config, ConfigError } from '../../platform/common/config.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Metrics } from '../../platform/common/metrics.service.js';
import { PlatformGauges } from './platform-gauges.service.js';

/**
 * Serves `/metrics` to Prometheus on a port of its own, so that it needs no token and is not public.
 * See docs/decisions/0390-metrics-and-traces.md.
 */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  #server?: Server;

  constructor(
    private readonly metrics: Metrics,
    private readonly gauges: PlatformGauges,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The port that it listens on; undefined without metrics. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.metrics) return;
    const { port, host } = this.config.metrics;
    collectDefaultMetrics({ register: this.metrics.registry });
    this.#server = createServer(({ method, url }, response) => {
      if (method === 'GET' && url?.split('?')[0] === '/metrics') void this.#answer(response);
      else response.writeHead(404).end('Metrics are at /metrics.\n');
    }).listen(port, host);
    try {
      await once(this.#server, 'listening');
    } catch (error) {
      throw new ConfigError(
        `Metrics cannot be served on ${host}:${port}: ${(error as Error).message}. Set TRAWL_METRICS_PORT to a free port, and TRAWL_METRICS_HOST to an address of this machine.`,
      );
    }
  }

  onApplicationShutdown(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async #answer(response: ServerResponse): Promise<void> {
    try {
      await this.gauges.update();
      response.setHeader('Content-Type', this.metrics.registry.contentType).end(await this.metrics.registry.metrics());
    } catch (err) {
      this.logger.error({ err }, 'metrics failed');
      response.writeHead(500).end('The metrics could not be collected. See the log of this backend.\n');
    }
  }
}
