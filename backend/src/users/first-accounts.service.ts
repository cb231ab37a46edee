import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { hash } from '@node-rs/argon2';
import type { Credential } from '@trawl/contracts';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { CONFIG, type Config } from '../common/config.js';
import { MongoDatabasesService } from '../storage/mongo-databases.service.js';
import { User } from './user.entity.js';

const FIRST_ACCOUNTS = [
  { username: 'admin', role: 'admin' },
  { username: 'developer', role: 'developer' },
] as const;

/** On an empty platform: an administrator and a developer, each with a database, their passwords in the data folder. */
@Injectable()
export class FirstAccountsService implements OnApplicationBootstrap {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly databases: MongoDatabasesService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (await this.users.existsBy({})) return;
    const credentials: Credential[] = FIRST_ACCOUNTS.map(account => ({
      ...account,
      password: randomBytes(15).toString('base64url'),
    }));
    // The file first: accounts whose passwords nobody knows would be of no use.
    mkdirSync(this.config.dataDir, { recursive: true });
    writeFileSync(join(this.config.dataDir, 'credentials.json'), `${JSON.stringify(credentials, null, 2)}\n`, {
      mode: 0o600,
    });
    const rows = await Promise.all(
      credentials.map(async ({ username, password, role }) => ({
        id: uuidv7(),
        username,
        role,
        password_hash: await hash(password),
        built_in: true,
      })),
    );
    await this.users.insert(rows);
    for (const { id } of rows) await this.databases.create(id, 'main');
  }
}
