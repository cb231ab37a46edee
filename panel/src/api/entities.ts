import type { components } from './schema.js';

type Schemas = components['schemas'];

export type Dashboard = Schemas['Dashboard'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyBody = Schemas['CreateApiKey'];
export type AuditEntry = Schemas['AuditEntry'];
export type User = Schemas['User'];
export type Quotas = Schemas['Quotas'];
export type Worker = Schemas['Worker'];
export type WorkerAssignment = Schemas['WorkerAssignment'];
export type Skript = Schemas['Skript'];
export type SkriptBody = Schemas['CreateSkript'];
export type Version = Schemas['Version'];
/** Without its value when a list answered it. */
export type Input = Schemas['ListedInput'] & Partial<Schemas['Input']>;
export type InputSecret = Schemas['InputSecret'];
/** Without its output when a list answered it. */
export type Execution = Schemas['ListedExecution'] & Partial<Schemas['Execution']>;
export type MongoDatabase = Schemas['MongoDatabase'];
export type MongoCollection = Schemas['MongoCollection'];
/** What an input may be. */
export type JsonValue = Schemas['CreateInput']['val'];
/** Relaxed EJSON; `_id` is always there. */
export type MongoDocument = Record<string, unknown>;

/** What every list answers; `total` is exact unless `total_capped`. */
export interface Listed<T> {
  total: number;
  total_capped?: boolean;
  items: T[];
}
