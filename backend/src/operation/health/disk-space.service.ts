import { mkdir, statfs } from 'node:fs/promises';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { LOGGER } from '../../platform/common/logger.js';
import { Metrics } from '../../platform/common/metrics.service.js';
import type { DiskDto } from './platform-health.dto.js';

const CHECK_MS = 60_000;

/** Watches the disk of the data folder, and logs when little space is left. */
@Injectable()
export class DiskSpace implements OnApplicationBootstrap {
  #isLow = false;

  constructor(
    metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const space = this;
    const gauge = (name: string, help: string, value: (disk: DiskDto) => number) =>
      new Gauge({
        name,
        help,
        registers: [metrics.registry],
        async collect() {
          this.set(value(await space.read()));
        },
      });
    gauge('trawl_disk_free_bytes', 'Free bytes on the disk of the data folder.', disk => disk.free_bytes);
    gauge('trawl_disk_total_bytes', 'Size of the disk of the data folder, in bytes.', disk => disk.total_bytes);
    gauge('trawl_disk_low', '1 if less than TRAWL_DISK_WARN_MB is free on the disk of the data folder.', disk =>
      Number(disk.is_low),
    );
  }

  onApplicationBootstrap(): Promise<void> {
    return this.check();
  }

  async read(): Promise<DiskDto> {
    const { dataDir } = this.config;
    await mkdir(dataDir, { recursive: true });
    const { bavail, blocks, bsize } = await statfs(dataDir);
    const free_bytes = bavail * bsize;
    return { free_bytes, total_bytes: blocks * bsize, is_low: free_bytes < this.config.diskWarnBytes };
  }

  @Interval(CHECK_MS)
  async check(): Promise<void> {
    const folder = this.config.dataDir;
    try {
      const { free_bytes, total_bytes, is_low } = await this.read();
      if (is_low && !this.#isLow)
        this.logger.warn(
          { folder, free_bytes, total_bytes },
          'little disk space left; free some, or move the data folder to a larger disk',
        );
      if (!is_low && this.#isLow) this.logger.info({ folder, free_bytes, total_bytes }, 'enough disk space again');
      this.#isLow = is_low;
    } catch (error) {
      this.logger.warn({ err: error, folder }, 'failed to read the free disk space');
    }
  }
}
