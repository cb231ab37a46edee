import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../../../platform/common/entity.js';
import { SecretBox } from '../../../platform/common/secret-box.service.js';
import { type List, parseSort } from '../../../platform/http/lists/list-query.js';
import { listPage } from '../../../platform/http/lists/list-rows.js';
import type { SkriptPartsQuery } from '../skript-parts.dto.js';
import { checkSameSkript, findPart, PART_SORTABLE, partsOf, type StoredValue, toJson } from '../skript-parts.js';
import { InputSecret } from './input-secret.entity.js';
import type { CreateInputSecretDto, InputSecretDto, UpdateInputSecretDto } from './input-secrets.dto.js';
import { type InputRow, InputWritesService } from './input-writes.service.js';

const LISTED = ['id', 'skript_id', 'name', 'created_at', 'updated_at'].map(name => `p.${name}`);

@Injectable()
export class InputSecretsService {
  constructor(
    @InjectRepository(InputSecret) private readonly secrets: Repository<InputSecret>,
    private readonly box: SecretBox,
    private readonly writes: InputWritesService,
  ) {}

  async list(ownerId: string, query: SkriptPartsQuery): Promise<List<InputSecretDto>> {
    const matching = partsOf(this.secrets, ownerId, query).select(LISTED);
    return listPage(matching, query, parseSort(query.sort, PART_SORTABLE), rows => rows.map(toDto));
  }

  async get(ownerId: string, id: string): Promise<InputSecretDto> {
    return toDto(await this.#find(ownerId, id));
  }

  async create(ownerId: string, { skript_id, name, val }: CreateInputSecretDto): Promise<InputSecretDto> {
    const id = uuidv7();
    const row = { id, skript_id, name, value: this.box.seal(toJson(name, val), id).toString('base64') };
    return toDto(await this.writes.insert(ownerId, 'input_secrets', row));
  }

  async update(ownerId: string, id: string, { skript_id, name, val }: UpdateInputSecretDto): Promise<InputSecretDto> {
    const row = await this.#find(ownerId, id);
    checkSameSkript(row.skript_id, skript_id);
    const value = val === undefined ? null : this.box.seal(toJson(name ?? row.name, val), id).toString('base64');
    await this.writes.update(ownerId, 'input_secrets', { id, skript_id: row.skript_id, name, value });
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    await this.#find(ownerId, id);
    const { affected } = await this.secrets.delete({ id });
    return { deleted: { input_secrets: affected ?? 0 } };
  }

  /**
   * Reads an input secret of this skript and decrypts it to JSON text. Use it only to start a run.
   * @throws {ApiError} 404, also for a secret of another skript.
   */
  async stored(ownerId: string, skriptId: string, secretId: string): Promise<StoredValue> {
    const parts = partsOf(this.secrets, ownerId, { skript_id: skriptId });
    const row = await findPart(parts, secretId, 'input secret of this skript');
    return { id: row.id, name: row.name, json: this.box.open(row.val_sealed, row.id) };
  }

  /** Finds an input secret without its value. */
  #find(ownerId: string, id: string): Promise<InputRow> {
    return findPart(partsOf(this.secrets, ownerId).select(LISTED), id, 'input secret');
  }
}

const toDto = (row: InputRow): InputSecretDto => ({
  ...entityFields(row),
  skript_id: row.skript_id,
  name: row.name,
  has_val: true,
});
