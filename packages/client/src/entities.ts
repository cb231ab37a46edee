import type { components } from './schema.js';

type Schemas = components['schemas'];

/** A run of a skript, as the API returns it. */
export type Execution = Schemas['Execution'];
/** A run in a list, which has no `output`. */
export type ListedExecution = Schemas['ListedExecution'];
/** One message that a run sent. */
export type Echo = Schemas['Echo'];
export type Skript = Schemas['Skript'];

/** A document of a collection, as relaxed Extended JSON; or a row of a run, as plain JSON. */
export type Row = Record<string, unknown>;

export interface RunOptions {
  /** Id of the worker. By default, Trawl chooses the least loaded one that you can use. */
  worker?: string;
  /** Start even if the same run is live already. */
  force?: boolean;
  /** Record the HTTP exchanges of the run, so that you can replay it. */
  record?: boolean;
  /** How often Trawl retries the run if it fails. By default, as the skript says. */
  retries?: number;
}

export interface SecretValue {
  /** Value of the input secret, any JSON. */
  inputSecret?: unknown;
}

/** Names of values that are stored with a skript. */
export interface StoredValues {
  /** Such as `input.json`. */
  input?: string;
  /** Such as `inputSecret.json`. */
  inputSecret?: string;
}

export interface LogOptions {
  /** Keep reading until the run has ended. Default: true. */
  follow?: boolean;
  /** Only echoes after this `seq` of the run's first attempt. Default: 0. */
  afterSeq?: number;
  signal?: AbortSignal;
}

export interface RunRowOptions {
  /** Continue with new rows until the run has ended. Default: false. */
  follow?: boolean;
  signal?: AbortSignal;
}

export interface RowOptions {
  /** Id or name of the database. By default your oldest one, which is also the default of a skript. */
  database?: string;
  /** `extended` (default): Extended JSON. `relaxed`: plain JSON, in which ids and dates are text. */
  format?: 'extended' | 'relaxed';
  /** A MongoDB filter, such as `{ price: { $gt: 20 } }`. */
  filter?: Row;
  /** Comma-separated fields, each with `-` in front for descending order. Default: `-_id`. */
  sort?: string;
  /** Comma-separated fields to return, or each with `-` in front to leave it out. */
  select?: string;
}
