import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EVIDENCE_JSON_BYTES, type Evidence, type KeptExchange } from '@trawl/contracts';
import { notFound } from '../../../platform/common/errors.js';
import { Cleanups } from '../../../platform/database/cleanups.service.js';
import type { ExchangeDto, RunExchangesDto } from './evidence.dto.js';
import { EvidenceRepository } from './evidence.repository.js';
import { type Har, harOf } from './har.js';

const unzip = promisify(gunzip);

/** Reads what runs saw last. */
@Injectable()
export class EvidenceService implements OnModuleInit {
  constructor(
    private readonly repository: EvidenceRepository,
    private readonly cleanups: Cleanups,
  ) {}

  onModuleInit(): void {
    this.cleanups.add('evidence of runs', 'nightly', () => this.repository.deleteWithoutRuns());
  }

  /** @throws {ApiError} 404 for a run that the account does not have. */
  async list(ownerId: string, id: string): Promise<RunExchangesDto> {
    const list = await this.repository.list(ownerId, id);
    if (list === undefined) throw notFound('run', id);
    return list ?? { items: [], page: null };
  }

  /** @throws {ApiError} 404 for a run that the account does not have, and for an exchange that was not kept. */
  async get(ownerId: string, id: string, sequence: number): Promise<ExchangeDto> {
    const { exchanges } = await this.#read(ownerId, id);
    const exchange = exchanges.find(one => one.sequence === sequence);
    if (!exchange) throw notFound('exchange', String(sequence));
    return toDto(exchange);
  }

  /** @throws {ApiError} 404 for a run that the account does not have. */
  async har(ownerId: string, id: string): Promise<Har> {
    return harOf((await this.#read(ownerId, id)).exchanges);
  }

  async #read(ownerId: string, id: string): Promise<Evidence> {
    const gz = await this.repository.bytes(ownerId, id);
    if (gz === undefined) throw notFound('run', id);
    if (gz === null) return { exchanges: [], page: null };
    return JSON.parse((await unzip(gz, { maxOutputLength: EVIDENCE_JSON_BYTES })).toString()) as Evidence;
  }
}

const contentType = ({ response_headers }: KeptExchange): string =>
  response_headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';

const toDto = (exchange: KeptExchange): ExchangeDto => ({ ...exchange, content_type: contentType(exchange) });

/** Returns the evidence without the parts that are read one by one. */
export function listOf({ exchanges, page }: Evidence): RunExchangesDto {
  const items = exchanges.map(exchange => {
    const { request_headers, request_body, response_headers, body, ...summary } = toDto(exchange);
    return summary;
  });
  return { items, page };
}
