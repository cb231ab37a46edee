import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { type DeletedDto, entityFields } from '../common/entity.js';
import { notFound } from '../common/errors.js';
import { type List, parseSort } from '../common/list-query.js';
import { listPage } from '../common/list-rows.js';
import { Input } from './input.entity.js';
import type { CreateInputDto, InputDto, UpdateInputDto } from './inputs.dto.js';
import { NewInputsService } from './new-inputs.service.js';
import type { SkriptPartsQuery } from './skript-files.dto.js';
import { checkPart, checkSameSkript, PART_SORTABLE, partsOf, type StoredValue, toJson } from './skript-parts.js';
import { lockSkript } from './skripts.service.js';

const LISTED = ['id', 'skript_id', 'name', 'created_at', 'updated_at'].map(name => `p.${name}`);

@Injectable()
export class InputsService {
  constructor(
    @InjectRepository(Input) private readonly inputs: Repository<Input>,
    private readonly newInputs: NewInputsService,
  ) {}

  async list(ownerId: string, query: SkriptPartsQuery): Promise<List<InputDto>> {
    const matching = partsOf(this.inputs, ownerId, query).select(LISTED);
    return listPage(matching, query, parseSort(query.sort, PART_SORTABLE), rows => rows.map(toDto));
  }

  async get(ownerId: string, id: string): Promise<InputDto> {
    return toDto(await this.#find(ownerId, id));
  }

  async create(ownerId: string, { skript_id, name, val }: CreateInputDto): Promise<InputDto> {
    const row = { id: uuidv7(), skript_id, name, value: toJson(name, val) };
    return toDto(await this.newInputs.insert<Input>(ownerId, 'inputs', row));
  }

  async update(ownerId: string, id: string, { skript_id, name, val }: UpdateInputDto): Promise<InputDto> {
    const row = await this.#find(ownerId, id);
    checkSameSkript(row.skript_id, skript_id);
    const json = val === undefined ? null : toJson(name ?? row.name, val);
    await this.inputs.manager.transaction(async manager => {
      await lockSkript(manager, ownerId, row.skript_id);
      if (name !== undefined) await checkPart(manager, 'inputs', row.skript_id, name, id);
      await manager.query(
        'UPDATE inputs SET name = coalesce($2, name), val = coalesce($3, val), updated_at = now() WHERE id = $1',
        [id, name ?? null, json],
      );
    });
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    await this.#find(ownerId, id);
    const { affected } = await this.inputs.delete({ id });
    return { deleted: { inputs: affected ?? 0 } };
  }

  /**
   * An input of that skript, as JSON text.
   * @throws {ApiError} 404, also for an input of another skript.
   */
  async stored(ownerId: string, skriptId: string, inputId: string): Promise<StoredValue> {
    const [row] = await this.inputs.query<StoredValue[]>(
      `SELECT i.id, i.name, i.val::text AS json FROM inputs i JOIN skripts s ON s.id = i.skript_id
       WHERE i.id = $1 AND i.skript_id = $2 AND s.owner_id = $3`,
      [inputId, skriptId, ownerId],
    );
    if (!row) throw notFound('input of this skript', inputId);
    return row;
  }

  async #find(ownerId: string, id: string): Promise<Input> {
    const row = await partsOf(this.inputs, ownerId).andWhere('p.id = :id', { id }).getOne();
    if (!row) throw notFound('input', id);
    return row;
  }
}

const toDto = (row: Input): InputDto => ({
  ...entityFields(row),
  skript_id: row.skript_id,
  name: row.name,
  val: row.val,
});
