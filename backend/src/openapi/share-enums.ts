import type { OpenAPIObject } from '@nestjs/swagger';
import {
  ACTIONS,
  API_ERRORS,
  CATCH_UPS,
  DELIVERY_STATES,
  ECHO_TYPES,
  ENVIRONMENTS,
  EVENT_TYPES,
  FIRE_OUTCOMES,
  KEY_SCOPES,
  OVERLAPS,
  ROLES,
  RUN_ERRORS,
  WAITING_REASONS,
  WORKER_STATUSES,
} from '@trawl/contracts';

/** The enums that have a name, so that generated clients have one type for each. */
const ENUMS: Record<string, readonly (string | null)[]> = {
  CatchUp: CATCH_UPS,
  DeliveryState: DELIVERY_STATES,
  EchoType: ECHO_TYPES,
  Environment: ENVIRONMENTS,
  ErrorCode: Object.keys(API_ERRORS),
  EventType: EVENT_TYPES,
  FireOutcome: FIRE_OUTCOMES,
  KeyScope: KEY_SCOPES,
  Overlap: OVERLAPS,
  Role: ROLES,
  RunAction: ACTIONS,
  // Every field with this type is null for runs without an error.
  RunErrorCode: [...Object.keys(RUN_ERRORS), null],
  WaitingReason: WAITING_REASONS,
  WorkerStatus: WORKER_STATUSES,
};
const NAMES = new Map(Object.entries(ENUMS).map(([name, values]) => [JSON.stringify(values), name]));

interface Schema {
  type?: string;
  enum?: unknown[];
  nullable?: boolean;
  allOf?: object[];
}

/**
 * Replaces each enum of the schemas that has a name by a reference. Beside a description the reference is in an
 * `allOf`, because OpenAPI 3.0 ignores what stands beside a `$ref`.
 */
export function shareEnums(document: OpenAPIObject): OpenAPIObject {
  const { schemas = {} } = document.components ?? {};
  const shared = JSON.parse(JSON.stringify(schemas), (_key, value) => withReference(value)) as object;
  const named = Object.entries(ENUMS).map(([name, values]) => {
    const isNullable = values.includes(null);
    return [name, { type: 'string', enum: [...values], ...(isNullable ? { nullable: true } : {}) }];
  });
  return {
    ...document,
    components: { ...document.components, schemas: { ...shared, ...Object.fromEntries(named) } },
  };
}

function withReference(value: Schema | null): unknown {
  const name = Array.isArray(value?.enum) ? NAMES.get(JSON.stringify(value.enum)) : undefined;
  if (!value || name === undefined) return value;
  const { type: _type, enum: _enum, nullable: _nullable, ...rest } = value;
  const reference = { $ref: `#/components/schemas/${name}` };
  return Object.keys(rest).length === 0 ? reference : { allOf: [reference], ...rest };
}
