import type { OpenAPIObject } from '@nestjs/swagger';
import {
  ACTIONS,
  API_ERRORS,
  BODY_ENCODINGS,
  CATCH_UPS,
  CHANGE_KINDS,
  DELIVERY_STATES,
  ECHO_TYPES,
  ENVIRONMENTS,
  EVENT_TYPES,
  EXCHANGE_SOURCES,
  FINDING_KINDS,
  FIRE_OUTCOMES,
  ISSUE_STATUSES,
  KEY_SCOPES,
  MERGE_STATES,
  NOTICE_EVENTS,
  NOTICE_SUBJECTS,
  ON_BROKEN,
  ON_MISS,
  OVERLAPS,
  RECORD_MODES,
  RESTART_MODES,
  ROBOTS_MODES,
  ROLES,
  ROW_DIFFERENCES,
  ROW_MATCHES,
  RUN_ERRORS,
  SAME_SITES,
  SANDBOX_LAYERS,
  SANDBOX_LEVELS,
  VERDICT_LEVELS,
  WAITING_REASONS,
  WORKER_STATUSES,
  WRITE_STORES,
} from '@trawl/contracts';
import { TABLE_KINDS } from '../../data/postgres/tables/postgres-tables.dto.js';
import { PERIODS } from '../../data/storage/documents/groups.dto.js';
import { DOCUMENT_FORMATS, ID_TYPES } from '../../data/storage/documents/mongo-documents.dto.js';
import { FILTERED_LISTS, ROW_HEIGHTS } from '../../people/account/preferences.dto.js';
import { JOB_STATES } from '../../platform/jobs/job.entity.js';
import { ROW_FORMATS } from '../../runs/executions/rows/run-rows.dto.js';
import { SETTING_SOURCES, SHOWN_DOMAINS } from '../../runs/polite/polite-domains.dto.js';
import { PROXY_STATES } from '../../runs/proxies/proxy-pools.dto.js';
import { ENCODINGS as FILE_ENCODINGS } from '../../runs/skripts/archives/file-list.js';
import { LAST_RESULTS } from '../../runs/skripts/last-results.js';
import { FILE_CHANGES } from '../../runs/skripts/versions/versions.dto.js';
import { FREE_WORKER_STATES } from '../../runs/workers/free-workers.service.js';
import { DESTINATION_TYPES } from '../../transfers/exports/destinations/destination.dto.js';
import { LISTS } from '../../transfers/exports/export-query.js';
import { FORMAT_NAMES } from '../../transfers/exports/formats/formats.js';
import { SOURCE_NAMES } from '../../transfers/exports/sources/export-sources.service.js';
import { IMPORT_STATES } from '../../transfers/imports/imports.dto.js';
import { DELIMITER_NAMES } from '../../transfers/imports/parsing/csv-rows.js';
import { ENCODINGS as IMPORT_ENCODINGS } from '../../transfers/imports/parsing/encodings.js';
import { FORMATS as IMPORT_FORMATS } from '../../transfers/imports/reading/rows.js';
import { CELL_TYPES, DECIMAL_MARKS } from '../../transfers/imports/values/cell-types.js';
import { HEALTH_STATUSES } from '../health/health.dto.js';

/**
 * The names of the enums, so that generated clients have one type for each. An enum of fields that may be null contains
 * null.
 */
const ENUMS: Record<string, readonly (string | null)[]> = {
  BodyEncoding: BODY_ENCODINGS,
  CatchUp: CATCH_UPS,
  ChangeKind: CHANGE_KINDS,
  ColumnType: CELL_TYPES,
  DecimalMark: DECIMAL_MARKS,
  Delimiter: DELIMITER_NAMES,
  DeliveryEvent: [...EVENT_TYPES, 'test'],
  DeliveryState: DELIVERY_STATES,
  DestinationType: DESTINATION_TYPES,
  // Null for files that are not plain text.
  DetectedEncoding: [...IMPORT_ENCODINGS, null],
  DocumentFormat: DOCUMENT_FORMATS,
  DocumentIdType: ID_TYPES,
  EchoType: ECHO_TYPES,
  Environment: ENVIRONMENTS,
  ErrorCode: Object.keys(API_ERRORS),
  EventType: EVENT_TYPES,
  ExchangeSource: EXCHANGE_SOURCES,
  ExportFormat: FORMAT_NAMES,
  ExportSource: SOURCE_NAMES,
  FileChange: FILE_CHANGES,
  FileEncoding: FILE_ENCODINGS,
  FilteredList: FILTERED_LISTS,
  FindingKind: FINDING_KINDS,
  FindingLevel: ['unusual', 'broken'],
  FireAction: [...ACTIONS, null],
  FireOutcome: FIRE_OUTCOMES,
  FreeWorkerState: [...FREE_WORKER_STATES, null],
  GroupPeriod: PERIODS,
  HealthStatus: HEALTH_STATUSES,
  ImportEncoding: IMPORT_ENCODINGS,
  ImportFormat: IMPORT_FORMATS,
  ImportState: IMPORT_STATES,
  IssueStatus: ISSUE_STATUSES,
  // Null for jobs that did not fail.
  JobErrorCode: [...Object.keys(API_ERRORS), null],
  JobState: JOB_STATES,
  KeyScope: KEY_SCOPES,
  // Null for runs without a verdict.
  LatestVerdictLevel: [...VERDICT_LEVELS, null],
  ListStyle: LISTS,
  LastResult: LAST_RESULTS,
  LateKind: ['run', 'schedule'],
  MergeState: MERGE_STATES,
  NoticeEvent: NOTICE_EVENTS,
  NoticeSubjectKind: NOTICE_SUBJECTS,
  OnBroken: ON_BROKEN,
  OnMiss: ON_MISS,
  Overlap: OVERLAPS,
  PoliteDomainsShown: SHOWN_DOMAINS,
  PoliteSettingSource: SETTING_SOURCES,
  ProxyState: PROXY_STATES,
  RecordMode: RECORD_MODES,
  RestartMode: RESTART_MODES,
  RobotsMode: ROBOTS_MODES,
  Role: ROLES,
  RowDifferenceKind: ROW_DIFFERENCES,
  RowHeight: ROW_HEIGHTS,
  RowMatch: ROW_MATCHES,
  RowsFormat: ROW_FORMATS,
  RunAction: ACTIONS,
  // Every field with this type is null for runs without an error.
  RunErrorCode: [...Object.keys(RUN_ERRORS), null],
  RunFailureCode: Object.keys(RUN_ERRORS),
  SameSite: SAME_SITES,
  SandboxLayerName: SANDBOX_LAYERS,
  SandboxLevel: [...SANDBOX_LEVELS, null],
  TableKind: TABLE_KINDS,
  VerdictLevel: VERDICT_LEVELS,
  WaitingReason: WAITING_REASONS,
  WorkerStatus: WORKER_STATUSES,
  WriteStore: WRITE_STORES,
};
const NAMES = new Map(Object.entries(ENUMS).map(([name, values]) => [JSON.stringify(values), name]));

interface Schema {
  type?: string;
  enum?: unknown[];
  nullable?: boolean;
  allOf?: object[];
}

/**
 * Replaces each enum of the schemas and parameters by a reference. Beside a description the reference is in an `allOf`,
 * because OpenAPI 3.0 ignores what stands beside a `$ref`.
 * See docs/decisions/0090-generated-openapi.md.
 * @throws {Error} if an enum of more than one value has no name.
 */
export function shareEnums(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {} } = document.components ?? {};
  const withReferences = <T>(part: T): T => JSON.parse(JSON.stringify(part), (_key, value) => withReference(value));
  const named = Object.entries(ENUMS).map(([name, values]) => {
    const isNullable = values.includes(null);
    return [name, { type: 'string', enum: [...values], ...(isNullable ? { nullable: true } : {}) }];
  });
  return {
    ...document,
    paths: withReferences(document.paths),
    components: { ...document.components, schemas: { ...withReferences(schemas), ...Object.fromEntries(named) } },
  };
}

function withReference(value: Schema | null): unknown {
  if (!Array.isArray(value?.enum) || value.enum.length < 2) return value;
  const name = NAMES.get(JSON.stringify(value.enum));
  if (name === undefined) throw new Error(`Give the enum ${value.enum.join(', ')} a name in share-enums.ts.`);
  const { type: _type, enum: _enum, nullable: _nullable, ...rest } = value;
  const reference = { $ref: `#/components/schemas/${name}` };
  return Object.keys(rest).length === 0 ? reference : { allOf: [reference], ...rest };
}
