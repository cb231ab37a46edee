import { Injectable } from '@nestjs/common';
import {
  parseSessionValue,
  SESSION_NAME,
  SESSION_NAME_EXPECTED,
  type SessionMethod,
  type SessionOperation,
  type StorageAnswer,
} from '@trawl/contracts';
import { deserialize, serialize } from 'bson';
import { z } from 'zod';
import { StorageFailure } from '../../../data/storage/mongodb/storage-failures.js';
import { RunCalls } from '../../../data/storage/runs/run-calls.js';
import { AuditLog } from '../../../platform/audit/audit-log.service.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { Contention } from '../../../platform/common/shares/contention.service.js';
import { type OpenedSession, SiteSessionsRepository } from './site-sessions.repository.js';

const id = z.uuid();
const SCHEMAS = {
  openSession: z.strictObject({ version: id.nullable(), holder: id.nullable() }),
  saveSession: z.strictObject({
    value: z.string(),
    version: id.nullable(),
    new_version: id,
    holder: id.nullable(),
  }),
  releaseSession: z.strictObject({ holder: id }),
} satisfies Record<SessionMethod, z.ZodType>;

type Arguments<Method extends SessionMethod> = z.infer<(typeof SCHEMAS)[Method]>;

interface CallingRun {
  ownerId: string;
  executionId: string;
  /** A replay reads sessions, and neither logs in for others nor saves. */
  isReplay: boolean;
}

/** Carries out the calls of runs on sessions: the logins to sites that the runs of an account share. */
@Injectable()
export class SessionCalls {
  readonly #calls: RunCalls;

  constructor(
    private readonly sessions: SiteSessionsRepository,
    private readonly box: SecretBox,
    private readonly audit: AuditLog,
    contention: Contention,
  ) {
    this.#calls = new RunCalls('session calls', contention);
  }

  /** Executes one operation. Never throws: an error is a message for the owner of the run. */
  run(run: CallingRun, { collection: name, method, args }: SessionOperation): Promise<StorageAnswer> {
    return this.#calls.answer(run.ownerId, async () => {
      if (!SESSION_NAME.test(name)) throw rejected(`The name of a session must be ${SESSION_NAME_EXPECTED}.`);
      return serialize(await this.#perform(run, name, method, fieldsOf(args)));
    });
  }

  async #perform(run: CallingRun, name: string, method: SessionMethod, fields: object): Promise<object> {
    const parsed = SCHEMAS[method].safeParse(fields);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw rejected(`${issue?.path.join('.') || 'The arguments'}: ${issue?.message}`);
    }
    if (method === 'openSession') return this.#open(run, name, parsed.data as Arguments<'openSession'>);
    if (method === 'saveSession') return this.#save(run, name, parsed.data as Arguments<'saveSession'>);
    if (!run.isReplay) {
      const { holder } = parsed.data as Arguments<'releaseSession'>;
      await this.sessions.release(run.ownerId, name, holder);
    }
    return {};
  }

  async #open(run: CallingRun, name: string, { version, holder }: Arguments<'openSession'>): Promise<object> {
    const { ownerId, executionId, isReplay } = run;
    const wish = { run: executionId, version, holder: isReplay ? null : holder };
    let opened = await this.sessions.open(ownerId, name, wish);
    if (!opened && wish.holder !== null) {
      await this.sessions.add(ownerId, name);
      opened = await this.sessions.open(ownerId, name, wish);
    }
    if (opened?.is_first_use) this.#auditUse(run, opened);
    return {
      version: opened?.version ?? null,
      ...(opened?.value_sealed && { value: this.box.open(opened.value_sealed, opened.id) }),
      taken: opened?.taken || (isReplay && holder !== null),
    };
  }

  async #save({ ownerId, isReplay }: CallingRun, name: string, args: Arguments<'saveSession'>): Promise<object> {
    const parsed = parseSessionValue(args.value);
    if ('problem' in parsed) {
      throw new StorageFailure(parsed.isTooLarge ? 'storage_too_large' : 'storage_rejected', parsed.problem);
    }
    if (isReplay) return { saved: true };
    const sessionId = await this.sessions.add(ownerId, name);
    const value = {
      value: parsed.value,
      sealed: this.box.seal(args.value, sessionId),
      bytes: Buffer.byteLength(args.value),
    };
    const { version, new_version: newVersion, holder } = args;
    return { saved: await this.sessions.save(sessionId, value, { version, newVersion, holder }) };
  }

  /** Writes one entry for each run that uses a session. */
  #auditUse({ ownerId, executionId }: CallingRun, session: OpenedSession): void {
    this.audit.record({
      user_id: ownerId,
      username: session.username,
      key_id: null,
      key_name: null,
      action: 'useSiteSession',
      target_kind: 'siteSession',
      target_id: session.id,
      target_name: session.name,
      fields: [`run ${executionId}`],
      status: 200,
      ip: '',
    });
  }
}

function fieldsOf(args: Uint8Array): object {
  try {
    return deserialize(args);
  } catch {
    throw rejected('The arguments are not BSON.');
  }
}

const rejected = (message: string): StorageFailure => new StorageFailure('storage_rejected', message);
