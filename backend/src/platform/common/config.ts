import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Options as PasswordHashOptions } from '@node-rs/argon2';
import {
  type Credential,
  LEASE_MS,
  LIMIT_SETTINGS,
  MAX_LEASE_MS,
  MIN_LEASE_MS,
  QUOTA_NAMES,
  QUOTAS,
  type QuotaLimits,
  type QuotaName,
} from '@trawl/contracts';
import { settingsWithFiles } from '@trawl/embedded/setting-files';
import { z } from 'zod';
import { firstAccounts } from './first-accounts.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** 24 days, the longest that a timer of Node.js can wait. */
const MAX_PAUSE_MS = 24 * 24 * HOUR_MS;

const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');

/** An IP address, or a network such as `10.0.0.0/8`. */
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const isNetwork = (text: string): boolean => network.safeParse(text).success;

/** Returns whether a text has the form of the header `Origin`, such as `https://shop.example:8443`, without a path. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const commaSeparated = (isItem: (item: string) => boolean, expected: string) =>
  z
    .string()
    .transform(text => text.split(',').map(item => item.trim()))
    .refine(items => items.every(isItem), `must be ${expected}, or several separated by commas`)
    .default([]);

/**
 * The same rule as in `website/site-settings.ts`. Allows a host without a dot, as in `info@localhost`, the default of
 * SITE_EMAIL.
 */
const emailAddress = z
  .string()
  .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, {
    error: ({ input }) => `must be an e-mail address such as info@example.com, got "${input}"`,
  })
  .optional();

const settingOf = (quota: QuotaName): string => `TRAWL_QUOTA_${quota.toUpperCase()}`;

/** Default quotas of an account, such as `TRAWL_QUOTA_SKRIPTS`. 0 means unlimited. */
const quotaSettings = Object.fromEntries(
  QUOTA_NAMES.map(name => [settingOf(name), z.coerce.number().int().min(0).default(QUOTAS[name])]),
);

const settingsSchema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  TRAWL_DATA_DIR: z.string().min(1).default('./.trawl'),
  /** Base URL of links in e-mails and on the website. Default: `http://localhost` with the port. */
  TRAWL_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * The database with the platform's own data. `npm start` sets POSTGRES_URL and MONGODB_URI to the embedded databases.
   */
  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /**
   * Superuser of the PostgreSQL server with the databases of users, or `embedded` for a server that the backend starts.
   * Without it, users have no PostgreSQL.
   */
  USER_POSTGRES_URL: z
    .union([z.literal('embedded'), z.url({ protocol: /^postgres(ql)?$/ })], {
      error: 'must be like postgresql://user:password@host:5432/postgres',
    })
    .optional(),
  /** The server for the data that users extract. Each user has separate databases on it. */
  MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  /** Redis or Valkey, through which several backends share live echoes and the limits of logins and forms. */
  REDIS_URL: z
    .url({ protocol: /^rediss?$/, hostname: /./, error: 'must be like redis://user:password@host:6379' })
    .optional(),
  /** Bucket of Amazon S3, or of a server with the same API, for saved echoes. Without it, PostgreSQL keeps them. */
  TRAWL_S3_BUCKET: z.string().min(1).optional(),
  /** Address of a server other than Amazon's. */
  TRAWL_S3_URL: z.url({ protocol: /^https?$/, hostname: /./, error: 'must be like https://s3.example.com' }).optional(),
  TRAWL_S3_REGION: z.string().min(1).default('us-east-1'),
  /** Without a key, the SDK looks for one as it does elsewhere: AWS_… variables, roles of the machine or the pod. */
  TRAWL_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  TRAWL_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  /** Whether the bucket is part of the path instead of the host name. Default: yes with TRAWL_S3_URL. */
  TRAWL_S3_PATH_STYLE: z.enum(['0', '1']).optional(),
  /** `postgres` saves new echoes in PostgreSQL, and reads and deletes those in the bucket. */
  TRAWL_ECHO_STORE: z.enum(['s3', 'postgres']).optional(),
  /**
   * Key that encrypts stored secrets and signs tokens. If it is not set, the first start generates one and saves it in
   * the data folder.
   */
  TRAWL_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  /** The other key while `trawl-admin rotate-secret` replaces one by the other. */
  TRAWL_SECRET_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional(),
  /**
   * Accounts that the first start creates, as JSON. By default an administrator and a developer, whose passwords are
   * written to `credentials.json` in the data folder.
   */
  TRAWL_FIRST_ACCOUNTS: firstAccounts.optional(),
  /**
   * Origins of websites that may call `/ip` and `/www/*`. Needed if the website is hosted on another origin than the
   * backend.
   */
  TRAWL_CORS_ORIGINS: commaSeparated(
    isOrigin,
    'an origin such as https://www.example.com, without a path or a trailing slash',
  ),
  /** Proxies whose `X-Forwarded-For` is trusted. Other clients could forge the header. */
  TRAWL_TRUSTED_PROXIES: commaSeparated(isNetwork, 'an IP address or a network such as 10.0.0.0/8'),
  /**
   * Networks that the backend may send webhooks and exports to although they are private, and by plain http. Default:
   * none, so that users cannot reach services beside the backend.
   */
  TRAWL_OUTGOING_ALLOW: commaSeparated(isNetwork, 'an IP address or a network such as 10.0.0.0/8'),
  /** Server for outgoing e-mail. Without it, e-mails are written to the data folder as `.eml` files. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, hostname: /./, error: 'must be like smtp://user:password@host:587 or smtps://host' })
    .optional(),
  /** Address that gets a copy of each contact message, and a notice when an account waits for a worker. */
  CONTACT_EMAIL: emailAddress,
  /** The public e-mail address of the site. It is shown on /contact and is the sender of all e-mails. */
  SITE_EMAIL: emailAddress,
  /** Name and postal address of the operator, for the footer and the legal pages of the website. */
  SITE_OPERATOR: z.string().trim().default(''),
  TRAWL_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** How long entries of the audit log are kept. */
  TRAWL_AUDIT_DAYS: z.coerce.number().int().min(1).max(3_650).default(LIMIT_SETTINGS.TRAWL_AUDIT_DAYS),
  /** How long runs, their saved echoes and schedule fires are kept. 0 means forever. */
  TRAWL_HISTORY_DAYS: z.coerce.number().int().min(0).max(36_500).default(LIMIT_SETTINGS.TRAWL_HISTORY_DAYS),
  /** How long ended exports and imports are kept, with their files. */
  TRAWL_JOB_DAYS: z.coerce.number().int().min(1).max(3_650).default(LIMIT_SETTINGS.TRAWL_JOB_DAYS),
  /** Size of all files of exports that Trawl keeps for one account, in MB. 0 means unlimited. */
  TRAWL_EXPORT_MB: z.coerce.number().int().min(0).max(100_000_000).default(LIMIT_SETTINGS.TRAWL_EXPORT_MB),
  /** Size of the uploaded files that an account can keep, and so of the largest file that it can import, in MiB. */
  TRAWL_IMPORT_MB: z.coerce.number().int().min(1).max(1_000_000).default(LIMIT_SETTINGS.TRAWL_IMPORT_MB),
  /** How many calls of one account a backend works on at a time. Further calls wait. */
  TRAWL_CALLS_AT_ONCE: z.coerce.number().int().min(1).max(10_000).default(LIMIT_SETTINGS.TRAWL_CALLS_AT_ONCE),
  /** How long a worker may be silent before its runs are lost. The backend tells workers in `welcome`. */
  TRAWL_LEASE_MS: z.coerce.number().int().min(MIN_LEASE_MS).max(MAX_LEASE_MS).default(LEASE_MS),
  /** Port for Prometheus, which reads `/metrics` there. Without it, no metrics are served. */
  TRAWL_METRICS_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  /** Network address of that port. `0.0.0.0` lets other machines read the metrics; they contain nothing of accounts. */
  TRAWL_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  /** Address of an OpenTelemetry collector. The SDK reads it and the other `OTEL_…` variables from the environment. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  /** How long a worker of a group may be away, without runs, before it is retired. */
  TRAWL_GROUP_AWAY_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(MAX_PAUSE_MS)
    .default(10 * MINUTE_MS),
  /** Warn when less is free on the disk of the data folder, in MiB. 0 never warns. */
  TRAWL_DISK_WARN_MB: z.coerce.number().int().min(0).max(1_073_741_824).default(2_048),
  /** How long `/health/ready` returns 503 before a backend that was told to stop closes. */
  TRAWL_DRAIN_MS: z.coerce.number().int().min(0).max(HOUR_MS).default(0),
  /** Share of a worker's slots that the runs of one account may take, in percent. */
  TRAWL_ACCOUNT_SLOTS_PERCENT: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(LIMIT_SETTINGS.TRAWL_ACCOUNT_SLOTS_PERCENT),
  /** How long a run may be paused in all. */
  TRAWL_MAX_PAUSE_MS: z.coerce.number().int().min(1_000).max(MAX_PAUSE_MS).default(LIMIT_SETTINGS.TRAWL_MAX_PAUSE_MS),
  /** npm registry for skripts' libraries. Default: the registry that npm on this machine uses. */
  TRAWL_NPM_REGISTRY: z.url({ protocol: /^https?$/ }).optional(),
  /** `npm start` sets this to `1`: then the process exits when its standard input closes. */
  TRAWL_SUPERVISED: z.enum(['0', '1']).default('0'),
});
const quotaSchema = z.object(quotaSettings);

export interface S3Settings {
  bucket: string;
  /** Undefined for Amazon's own servers. */
  url: string | undefined;
  region: string;
  /** Undefined if the SDK has to find them. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  pathStyle: boolean;
}

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  publicUrl: string;
  postgresUrl: string;
  userPostgresUrl: string | undefined;
  mongodbUri: string;
  redisUrl: string | undefined;
  /** Undefined without a bucket. */
  s3: S3Settings | undefined;
  /** Where new echoes are saved. */
  echoStore: 's3' | 'postgres';
  secret: string;
  /** Set only while the secret is rotated. */
  previousSecret: string | undefined;
  firstAccounts: Credential[] | undefined;
  corsOrigins: string[];
  trustedProxies: string[];
  outgoingAllow: string[];
  smtpUrl: string | undefined;
  contactEmail: string | undefined;
  siteEmail: string;
  siteOperator: string;
  logLevel: z.infer<typeof settingsSchema>['TRAWL_LOG_LEVEL'];
  supervised: boolean;
  quotas: QuotaLimits;
  auditDays: number;
  historyDays: number;
  jobDays: number;
  exportMb: number;
  importBytes: number;
  callsAtOnce: number;
  leaseMs: number;
  metrics: { port: number; host: string } | undefined;
  tracing: boolean;
  groupAwayMs: number;
  drainMs: number;
  diskWarnBytes: number;
  maxPauseMs: number;
  /** Share of a worker's slots that the runs of one account may take. */
  accountSlotsPercent: number;
  /**
   * How much time and memory hashing a password takes. Tests use lower values than the defaults of `@node-rs/argon2`.
   */
  passwordHash: PasswordHashOptions;
  /** How long a query may wait for an answer before its connection counts as broken. Longer than `statement_timeout`. */
  postgresSilenceMs: number;
  npmRegistry: string | undefined;
  websiteDir: string;
  /** File in which `npm start` says how far the build of the website is. It is there only until the build has ended. */
  websiteState: string;
  panelDir: string;
}

/** Thrown for invalid settings. The message has a line for each. */
export class ConfigError extends Error {}

/**
 * Reads the settings; nothing else in the backend reads the environment.
 * @throws {ConfigError} naming each invalid setting and what was expected.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const parsed = settingsSchema.and(quotaSchema).safeParse(readFiles(env));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`Invalid settings:\n${lines.join('\n')}\nSee .env.example for all settings.`);
  }
  const settings = parsed.data;
  const dataDir = resolve(settings.TRAWL_DATA_DIR);
  const publicUrl = (settings.TRAWL_PUBLIC_URL ?? `http://localhost:${settings.PORT}`).replace(/\/+$/, '');
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir,
    publicUrl,
    postgresUrl: settings.POSTGRES_URL,
    userPostgresUrl: settings.USER_POSTGRES_URL,
    mongodbUri: settings.MONGODB_URI,
    redisUrl: settings.REDIS_URL,
    s3: s3Settings(settings),
    echoStore: settings.TRAWL_ECHO_STORE ?? (settings.TRAWL_S3_BUCKET === undefined ? 'postgres' : 's3'),
    secret: settings.TRAWL_SECRET ?? storedSecret(dataDir),
    previousSecret:
      settings.TRAWL_SECRET_PREVIOUS ??
      (settings.TRAWL_SECRET === undefined ? readStoredSecret(dataDir, PREVIOUS_SECRET_FILE) : undefined),
    firstAccounts: settings.TRAWL_FIRST_ACCOUNTS,
    corsOrigins: settings.TRAWL_CORS_ORIGINS,
    trustedProxies: settings.TRAWL_TRUSTED_PROXIES,
    outgoingAllow: settings.TRAWL_OUTGOING_ALLOW,
    smtpUrl: settings.SMTP_URL,
    contactEmail: settings.CONTACT_EMAIL,
    siteOperator: settings.SITE_OPERATOR,
    siteEmail: settings.SITE_EMAIL ?? `info@${new URL(publicUrl).hostname}`,
    logLevel: settings.TRAWL_LOG_LEVEL,
    supervised: settings.TRAWL_SUPERVISED === '1',
    auditDays: settings.TRAWL_AUDIT_DAYS,
    historyDays: settings.TRAWL_HISTORY_DAYS,
    jobDays: settings.TRAWL_JOB_DAYS,
    exportMb: settings.TRAWL_EXPORT_MB,
    importBytes: settings.TRAWL_IMPORT_MB * 1024 * 1024,
    callsAtOnce: settings.TRAWL_CALLS_AT_ONCE,
    leaseMs: settings.TRAWL_LEASE_MS,
    metrics:
      settings.TRAWL_METRICS_PORT !== undefined
        ? { port: settings.TRAWL_METRICS_PORT, host: settings.TRAWL_METRICS_HOST }
        : undefined,
    tracing: settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    groupAwayMs: settings.TRAWL_GROUP_AWAY_MS,
    drainMs: settings.TRAWL_DRAIN_MS,
    diskWarnBytes: settings.TRAWL_DISK_WARN_MB * 1024 * 1024,
    maxPauseMs: settings.TRAWL_MAX_PAUSE_MS,
    accountSlotsPercent: settings.TRAWL_ACCOUNT_SLOTS_PERCENT,
    passwordHash: {},
    postgresSilenceMs: 45_000,
    npmRegistry: settings.TRAWL_NPM_REGISTRY,
    quotas: Object.fromEntries(QUOTA_NAMES.map(name => [name, settings[settingOf(name)]])) as QuotaLimits,
    websiteDir: join(repositoryRoot, 'website/build'),
    websiteState: join(repositoryRoot, 'node_modules/.cache/trawl/website-build.json'),
    panelDir: join(repositoryRoot, 'panel/dist/app'),
  };
}

/** @throws {ConfigError} if settings are missing that others need. */
function s3Settings(settings: z.infer<typeof settingsSchema>): S3Settings | undefined {
  const { TRAWL_S3_BUCKET: bucket, TRAWL_S3_URL: url, TRAWL_S3_PATH_STYLE: pathStyle } = settings;
  const { TRAWL_S3_ACCESS_KEY_ID: accessKeyId, TRAWL_S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const missing = (name: string, others: string) =>
    new ConfigError(
      `Invalid settings:\n  ${name}: must be set together with ${others}\nSee .env.example for all settings.`,
    );
  if (bucket === undefined) {
    if (settings.TRAWL_ECHO_STORE === 's3') throw missing('TRAWL_S3_BUCKET', 'TRAWL_ECHO_STORE=s3');
    if (url !== undefined) throw missing('TRAWL_S3_BUCKET', 'TRAWL_S3_URL');
    return undefined;
  }
  if (accessKeyId === undefined && secretAccessKey !== undefined)
    throw missing('TRAWL_S3_ACCESS_KEY_ID', 'TRAWL_S3_SECRET_ACCESS_KEY');
  if (accessKeyId !== undefined && secretAccessKey === undefined)
    throw missing('TRAWL_S3_SECRET_ACCESS_KEY', 'TRAWL_S3_ACCESS_KEY_ID');
  return {
    bucket,
    url,
    region: settings.TRAWL_S3_REGION,
    credentials:
      accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined,
    pathStyle: pathStyle === undefined ? url !== undefined : pathStyle === '1',
  };
}

function readFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  try {
    return settingsWithFiles(env, Object.keys(settingsSchema.shape));
  } catch (error) {
    throw new ConfigError(`Invalid settings:\n  ${(error as Error).message}`);
  }
}

/** The file in the data folder with the generated secret, and that with the one before it while it is rotated. */
export const SECRET_FILE = 'secret';
export const PREVIOUS_SECRET_FILE = 'secret.previous';

/** Reads a secret from the data folder; undefined if there is none. */
export function readStoredSecret(dataDir: string, name = SECRET_FILE): string | undefined {
  try {
    return readFileSync(join(dataDir, name), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** Reads the generated secret from the data folder, or generates it. */
function storedSecret(dataDir: string): string {
  const stored = readStoredSecret(dataDir);
  if (stored !== undefined) return stored;
  const file = join(dataDir, SECRET_FILE);
  const secret = randomBytes(32).toString('base64url');
  mkdirSync(dataDir, { recursive: true });
  // Several backends may start with the same folder. A link appears with its whole content, and only once.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${secret}\n`, { mode: 0o600 });
  try {
    linkSync(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
  }
  return readFileSync(file, 'utf8').trim();
}

/** Injection token of `Config`. */
export const CONFIG = Symbol('config');
/** Injection token of the UUID that identifies this backend among those that share the database. New at each start. */
export const BACKEND_ID = Symbol('backend id');
