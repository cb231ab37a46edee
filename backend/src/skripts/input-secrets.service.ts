import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../common/entity.js';
import { notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { SecretBox } from '../common/secret-box.js';
import { InputSecret } from './input-secret.entity.js';
import type { CreateInputSecretDto, InputSecretDto, UpdateInputSecretDto } from './input-secrets.dto.js';
import { NewInputsService } from './new-inputs.service.js';
import type { SkriptPartsQuery } from './skript-files.dto.js';
import { checkPart, checkSameSkript, PART_SORTABLE, partsOf, type StoredValue, toJson } from './skript-parts.js';
import { lockSkript } from './skripts.service.js';

const LISTED = ['id', 'skript_id', 'name', 'created_at', 'updated_at'].map(name => `p.${name}`);

@Injectable()
export class InputSecretsService {
  constructor(
    @InjectRepository(InputSecret) private readonly secrets: Repository<InputSecret>,
    private readonly box: SecretBox,
    private readonly newInputs: NewInputsService,
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
    const row = { id, skript_id, name, value: this.box.seal(toJson(name, val), id) };
    return toDto(await this.newInputs.insert<InputSecret>(ownerId, 'input_secrets', row));
  }

  async update(ownerId: string, id: string, { skript_id, name, val }: UpdateInputSecretDto): Promise<InputSecretDto> {
    const row = await this.#find(ownerId, id);
    checkSameSkript(row.skript_id, skript_id);
    const sealed = val === undefined ? null : this.box.seal(toJson(name ?? row.name, val), id);
    await this.secrets.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, row.skript_id);
      if (name !== undefined) await checkPart(manager, 'input_secrets', row.skript_id, name, id);
      await manager.query(
        'UPDATE input_secrets SET name = coalesce($2, name), val_sealed = coalesce($3, val_sealed), updated_at = now() WHERE id = $1',
        [id, name ?? null, sealed],
      );
    });
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    await this.#find(ownerId, id);
    const { affected } = await this.secrets.delete({ id });
    return { deleted: { input_secrets: affected ?? 0 } };
  }

  /**
   * An input secret of that skript, decrypted, as JSON text: for a run, and for nothing else.
   * @throws {ApiError} 404, also for a secret of another skript.
   */
  async stored(ownerId: string, skriptId: string, secretId: string): Promise<StoredValue> {
    const row = await partsOf(this.secrets, ownerId, { skript_id: skriptId })
      .andWhere('p.id = :id', { id: secretId })
      .getOne();
    if (!row) throw notFound('input secret of this skript', secretId);
    return { id: row.id, name: row.name, json: this.box.open(row.val_sealed, row.id) };
  }

  async #find(ownerId: string, id: string): Promise<InputSecret> {
    const row = await partsOf(this.secrets, ownerId).andWhere('p.id = :id', { id }).getOne();
    if (!row) throw notFound('input secret', id);
    return row;
  }
}

const toDto = (row: InputSecret): InputSecretDto => ({
  ...entityFields(row),
  skript_id: row.skript_id,
  name: row.name,
  has_val: true,
});
