import type { components } from '@trawl/client';

type Schemas = components['schemas'];

export type Account = Schemas['Account'];
export type Preferences = Schemas['Preferences'];
export type SavedFilter = Schemas['SavedFilter'];
export type Dashboard = Schemas['Dashboard'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyBody = Schemas['CreateApiKey'];
export type AuditEntry = Schemas['AuditEntry'];
export type User = Schemas['User'];
export type Session = Schemas['Session'];
export type Webhook = Schemas['Webhook'];
export type WebhookBody = Schemas['CreateWebhook'];
export type WebhookChange = Schemas['UpdateWebhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type ContactMessage = Schemas['ContactMessage'];
/** A notice that the bell shows. */
export type Notice = Schemas['Notice'];
export type Quotas = Schemas['Quotas'];
export type Worker = Schemas['Worker'];
export type WorkerGroup = Schemas['WorkerGroup'];
export type WorkerAssignment = Schemas['WorkerAssignment'];
export type Skript = Schemas['Skript'];
/** A skript in a list, without its large fields. */
export type ListedSkript = Omit<Skript, 'howto' | 'input_schema'>;
export type SkriptBody = Schemas['CreateSkript'];
export type SkriptFile = Schemas['SkriptFile'];
export type Version = Schemas['Version'];
/** An input. Lists of inputs omit the field `val`. */
export type Input = Schemas['ListedInput'] & Partial<Schemas['Input']>;
export type InputSecret = Schemas['InputSecret'];
/** Requests of a crawl. */
export type PoliteDomain = Schemas['PoliteDomain'];
export type PoliteSettings = Schemas['PoliteSettings'];
export type Queue = Schemas['Queue'];
export type QueueHost = Schemas['QueueHost'];
/** Proxies that the runs of an account share. */
export type ProxyPool = Schemas['ProxyPool'];
export type ProxyPoolBody = Schemas['CreateProxyPool'];
export type PoolProxy = Schemas['Proxy'];
/** A proxy that a run has used, with the figures of the run. */
export type RunProxy = Schemas['RunProxy'];
export type ProxyTags = Schemas['UpdateProxy'];
/** A login to a site, without its value. */
export type SiteSession = Schemas['SiteSession'];
export type SiteSessionImport = Schemas['ImportSiteSession'];
/** A run of a skript. Lists of executions omit the field `output`. */
export type Execution = Schemas['ListedExecution'] & Partial<Schemas['Execution']>;
export type Schedule = Schemas['Schedule'];
export type ScheduleBody = Schemas['CreateSchedule'];
export type ScheduleFire = Schemas['ScheduleFire'];
/** Fires of one schedule in one hour that had the same outcome. */
export type FireHour = Schemas['FireHour'];
/** How the newest run of a skript ended, or that it has not. */
export type LastResult = Schemas['LastResult'];
/** How a replay differs from the usual one. */
export type ReplayChoice = Partial<Schemas['Replay']>;
/** A run with the few fields that a strip of bars shows. */
export type LatestRun = Schemas['LatestRun'];
/** Counts of the rows that a skript's runs wrote to one collection or table. */
export type WrittenTarget = Schemas['WrittenTarget'];
export type RunSeries = Schemas['RunSeries'];
export type RunHour = Schemas['RunHour'];
/** Failed runs of a skript with the same cause. */
export type Issue = Schemas['Issue'];
/** An issue of any account, as administrators see it. */
export type PlatformIssue = Schemas['PlatformIssue'];
/** A run of any account, as administrators see it. */
export type PlatformExecution = Schemas['PlatformExecution'];
export type MongoDatabase = Schemas['MongoDatabase'];
export type MongoCollection = Schemas['MongoCollection'];
export type MongoIndex = Schemas['MongoIndex'];
export type MongoIndexBody = Schemas['NewMongoIndex'];
/** Documents or rows that share a value, or a time. */
export type Grouped = Schemas['Grouped'];
export type Groups = Schemas['Groups'];
export type GroupPeriod = Schemas['GroupPeriod'];
export type PostgresTable = Schemas['PostgresTable'];
export type PostgresColumn = Schemas['PostgresColumn'];
export type PostgresResult = Schemas['PostgresQueryResult'];
export type Export = Schemas['Export'];
export type ExportBody = Schemas['CreateExport'];
export type Exporter = Schemas['Exporter'];
export type ExporterChange = Schemas['UpdateExporter'];
export type ExporterBody = Schemas['CreateExporter'];
export type Import = Schemas['Import'];
export type ImportBody = Schemas['StartImport'];
export type ImportPreview = Schemas['ImportPreview'];
/** The value of an input. */
export type JsonValue = Schemas['CreateInput']['val'];
/** A document as relaxed Extended JSON. It always has an `_id`. */
export type MongoDocument = Record<string, unknown>;

/** One page of a list. `total` counts the items on all pages; if `total_capped` is true, there may be more. */
export interface Listed<T> {
  total: number;
  total_capped?: boolean;
  items: T[];
}
