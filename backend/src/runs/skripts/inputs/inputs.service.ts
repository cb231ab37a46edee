import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { WriteBatcher } from '../../../platform/common/batching/write-batcher.js';
import { type DeletedDto, entityFields } from '../../../platform/common/entity.js';
import { notFound } from '../../../platform/common/errors.js';
import { type List, parseSort } from '../../../platform/http/lists/list-query.js';
import { listPage } from '../../../platform/http/lists/list-rows.js';
import type { SkriptPartsQuery } from '../skript-parts.dto.js';
import { checkSameSkript, findPart, PART_SORTABLE, partsOf, type StoredValue, toJson } from '../skript-parts.js';
import { Input } from './input.entity.js';
import { type InputRow, InputWritesService } from './input-writes.service.js';
import type { CreateInputDto, InputDto, UpdateInputDto } from './inputs.dto.js';

const LISTED = ['id', 'skript_id', 'name', 'created_at', 'updated_at'].map(name => `p.${name}`);

interface Asked {
  ownerId: string;
  skriptId: string;
  inputId: string;
}

@Injectable()
export class InputsService {
  /** Reads of starts that are prepared at the same time share a query. */
  readonly #reads = new WriteBatcher((asked: Asked[]) => this.#readAll(asked));

  constructor(
    @InjectRepository(Input) private readonly inputs: Repository<Input>,
    private readonly writes: InputWritesService,
  ) {}

  async list(ownerId: string, query: SkriptPartsQuery): Promise<List<InputDto>> {
    const matching = partsOf(this.inputs, ownerId, query).select(LISTED);
    return listPage(matching, query, parseSort(query.sort, PART_SORTABLE), rows => rows.map(toDto));
  }

  async get(ownerId: string, id: string): Promise<InputDto> {
    return toDto(await findPart(partsOf(this.inputs, ownerId), id, 'input'));
  }

  async create(ownerId: string, { skript_id, name, val }: CreateInputDto): Promise<InputDto> {
    const row = { id: uuidv7(), skript_id, name, value: toJson(name, val) };
    return toDto({ ...(await this.writes.insert(ownerId, 'inputs', row)), val });
  }

  async update(ownerId: string, id: string, { skript_id, name, val }: UpdateInputDto): Promise<InputDto> {
    const row = await this.#find(ownerId, id);
    checkSameSkript(row.skript_id, skript_id);
    const value = val === undefined ? null : toJson(name ?? row.name, val);
    await this.writes.update(ownerId, 'inputs', { id, skript_id: row.skript_id, name, value });
    return this.get(ownerId, id);
  }

  async delete(ownerId: string, id: string): Promise<DeletedDto> {
    await this.#find(ownerId, id);
    const { affected } = await this.inputs.delete({ id });
    return { deleted: { inputs: affected ?? 0 } };
  }

  /**
   * Reads an input of this skript as JSON text.
   * @throws {ApiError} 404, also for an input of another skript.
   */
  async stored(ownerId: string, skriptId: string, inputId: string): Promise<StoredValue> {
    const row = await this.#reads.add({ ownerId, skriptId, inputId });
    if (!row) throw notFound('input of this skript', inputId);
    return row;
  }

  async #readAll(asked: Asked[]): Promise<(StoredValue | undefined)[]> {
    const rows = await this.inputs.query<(StoredValue & { at: number })[]>(
      `SELECT asked.n::int - 1 AS at, i.id, i.name, i.val::text AS json
       FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS asked (id, skript_id, owner_id, n)
         JOIN inputs i ON i.id = asked.id AND i.skript_id = asked.skript_id
         JOIN skripts s ON s.id = i.skript_id AND s.owner_id = asked.owner_id`,
      [asked.map(({ inputId }) => inputId), asked.map(({ skriptId }) => skriptId), asked.map(({ ownerId }) => ownerId)],
    );
    const found = new Map(rows.map(({ at, ...row }) => [at, row]));
    return asked.map((_, at) => found.get(at));
  }

  /** Finds an input without its value. */
  #find(ownerId: string, id: string): Promise<InputRow> {
    return findPart(partsOf(this.inputs, ownerId).select(LISTED), id, 'input');
  }
}

const toDto = (row: Input): InputDto => ({
  ...entityFields(row),
  skript_id: row.skript_id,
  name: row.name,
  val: row.val,
});
