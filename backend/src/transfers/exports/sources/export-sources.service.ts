import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/common/errors.js';
import { ChangesSource } from './changes-source.service.js';
import { CollectionSource } from './collection-source.service.js';
import { QuerySource, TableSource } from './postgres-source.service.js';
import { RunSource } from './run-source.service.js';
import type { ExportSource } from './source.js';

/** The names of all sources, for `source` in a request. */
export const SOURCE_NAMES = ['collection', 'run', 'changes', 'table', 'query'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

/** The sources that need a run. An exporter of one exports each run of a skript. */
export const SOURCES_OF_RUNS: readonly string[] = ['run', 'changes'] satisfies SourceName[];

/** The registry of sources. */
@Injectable()
export class ExportSources {
  readonly #sources: Record<SourceName, ExportSource>;

  constructor(
    collection: CollectionSource,
    run: RunSource,
    changes: ChangesSource,
    table: TableSource,
    query: QuerySource,
  ) {
    this.#sources = { collection, run, changes, table, query };
  }

  /** @throws {ApiError} 422 for a source that this version of Trawl does not have, in an older job. */
  get(name: string): ExportSource {
    const source = this.#sources[name as SourceName];
    if (source) return source;
    throw new ApiError('storage_rejected', `Trawl has no source named ${name}.`);
  }
}
