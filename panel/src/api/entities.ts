import type { components } from './schema.js';

type Schemas = components['schemas'];

export type Account = Schemas['Account'];
export type Worker = Schemas['Worker'];
export type Skript = Schemas['Skript'];
export type SkriptBody = Schemas['CreateSkript'];
export type Input = Schemas['Input'];
export type InputSecret = Schemas['InputSecret'];
export type Execution = Schemas['Execution'];
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
