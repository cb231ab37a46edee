import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Credential } from '@trawl/contracts';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { MongoDatabasesService } from '../../data/storage/databases/mongo-databases.service.js';
import { hashPassword } from '../../platform/auth/password-hash.js';
import { CONFIG, type Config } from '../../platform/common/config.js';
import { User } from './user.entity.js';

const FIRST_ACCOUNTS = [
  { username: 'admin', role: 'admin' },
  { username: 'developer', role: 'developer' },
] as const;

/** Key of a PostgreSQL advisory lock. It ensures that only one backend at a time creates the first accounts. */
const LOCK = 7_241_001;

/**
 * If there are no accounts, creates those of TRAWL_FIRST_ACCOUNTS, each with a database. Without this setting it creates
 * an administrator and a developer, and writes their passwords to `credentials.json` in the data folder.
 */
@Injectable()
export class FirstAccountsService implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly databases: MongoDatabasesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.dataSource.transaction(async manager => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      if (await manager.existsBy(User, {})) return;
      const credentials: Credential[] =
        this.config.firstAccounts ??
        FIRST_ACCOUNTS.map(account => ({ ...account, password: randomBytes(15).toString('base64url') }));
      for (const { username, password, role } of credentials) {
        const id = uuidv7();
        await manager.insert(User, {
          id,
          username,
          role,
          password_hash: await hashPassword(password, this.config),
          built_in: true,
        });
        await this.databases.create(id, 'main', manager);
      }
      // Write the file before the commit. If this fails, the accounts are not created, so there is no account whose
      // password nobody knows.
      if (!this.config.firstAccounts) this.#writeCredentials(credentials);
    });
  }

  #writeCredentials(credentials: Credential[]): void {
    mkdirSync(this.config.dataDir, { recursive: true });
    writeFileSync(join(this.config.dataDir, 'credentials.json'), `${JSON.stringify(credentials, null, 2)}\n`, {
      mode: 0o600,
    });
  }
}
