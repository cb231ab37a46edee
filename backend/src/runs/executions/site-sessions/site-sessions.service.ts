import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { parseSessionValue, type SessionValue } from '@trawl/contracts';
import type { DeletedDto } from '../../../platform/common/entity.js';
import { ApiError, notFound } from '../../../platform/common/errors.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import type { List } from '../../../platform/http/lists/list-query.js';
import { CookieFileError, readCookieFile } from './cookie-files.js';
import type { ImportSiteSessionDto, SiteSessionDto, SiteSessionsQuery } from './site-sessions.dto.js';
import { SiteSessionsRepository } from './site-sessions.repository.js';

/** The sessions of an account, for their owner. */
@Injectable()
export class SiteSessionsService implements OnModuleInit {
  constructor(
    private readonly sessions: SiteSessionsRepository,
    private readonly box: SecretBox,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('sessions that no run uses', 'nightly', () => this.sessions.deleteOver());
  }

  list(ownerId: string, query: SiteSessionsQuery): Promise<List<SiteSessionDto>> {
    return this.sessions.page(ownerId, query);
  }

  async get(ownerId: string, id: string): Promise<SiteSessionDto> {
    const found = await this.sessions.find(ownerId, id);
    if (!found) throw notFound('session', id);
    return found;
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    if (!(await this.sessions.delete(ownerId, id))) throw notFound('session', id);
    return { deleted: { sessions: 1 } };
  }

  async export(ownerId: string, id: string): Promise<SessionValue> {
    const sealed = await this.sessions.sealedValue(ownerId, id);
    if (sealed === undefined) throw notFound('session', id);
    return sealed === null ? { cookies: [], origins: [], userAgent: null } : JSON.parse(this.box.open(sealed, id));
  }

  async import(ownerId: string, { name, origins, content, user_agent }: ImportSiteSessionDto): Promise<SiteSessionDto> {
    const value = JSON.stringify(readFile(content, [...new Set(origins.map(toOrigin))], user_agent ?? null));
    const parsed = parseSessionValue(value);
    if ('problem' in parsed) {
      if (parsed.isTooLarge) throw new ApiError('payload_too_large', parsed.problem);
      throw invalid('content', parsed.problem);
    }
    const id = await this.sessions.add(ownerId, name);
    const sealed = this.box.seal(value, id);
    await this.sessions.replace(id, { value: parsed.value, sealed, bytes: Buffer.byteLength(value) }, randomUUID());
    return this.get(ownerId, id);
  }
}

function toOrigin(text: string): string {
  if (URL.canParse(text)) return new URL(text).origin;
  throw invalid('origins', `${text.slice(0, 100)} is no origin; expected one such as https://shop.example.`);
}

function readFile(content: string, origins: string[], userAgent: string | null): SessionValue {
  try {
    return readCookieFile(content, origins, userAgent);
  } catch (error) {
    throw error instanceof CookieFileError ? invalid('content', error.message) : error;
  }
}

const invalid = (field: string, message: string): ApiError =>
  new ApiError('validation_failed', message, [{ field, message }]);
