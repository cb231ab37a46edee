import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { QUOTA_NAMES, QUOTAS, type QuotaLimits, type QuotaName } from '@trawl/contracts';
import { z } from 'zod';

const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** An address, or a network as `10.0.0.0/8`. */
const network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);
const isNetwork = (text: string): boolean => network.safeParse(text).success;

/** `https://shop.example:8443`, with nothing behind it: what a browser sends as `Origin`. */
const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const commaSeparated = (isItem: (item: string) => boolean, expected: string) =>
  z
    .string()
    .transform(text => text.split(',').map(item => item.trim()))
    .refine(items => items.every(isItem), `must be ${expected}, several separated by commas`)
    .default([]);

/** As `website/site-settings.ts` reads it, too. The default of SITE_EMAIL may have a host without a dot: `info@localhost`. */
const emailAddress = z
  .string()
  .regex(/^[^\s@<>"]+@[^\s@<>"]+$/, {
    error: ({ input }) => `must be an e-mail address such as info@example.com, got "${input}"`,
  })
  .optional();

const settingOf = (quota: QuotaName): string => `TRAWL_QUOTA_${quota.toUpperCase()}`;

/** What an account may have of each, such as `TRAWL_QUOTA_SKRIPTS`; 0 is no limit. */
const quotaSettings = Object.fromEntries(
  QUOTA_NAMES.map(name => [settingOf(name), z.coerce.number().int().min(0).default(QUOTAS[name])]),
);

const settingsSchema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  TRAWL_DATA_DIR: z.string().min(1).default('./.trawl'),
  /** Links in e-mail; by default the address of this machine. */
  TRAWL_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The platform's own data. `npm start` sets both to the embedded databases. */
  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  /** Users' extracted data, a database each. */
  MONGODB_URI: z.string().regex(/^mongodb(\+srv)?:\/\//, 'must begin with mongodb:// or mongodb+srv://'),
  /** Key for secrets at rest and for tokens; made at the first start when it is not set. */
  TRAWL_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  /** Who may call `/ip` and `/www/*` from a page of another origin: a website that is hosted elsewhere. */
  TRAWL_CORS_ORIGINS: commaSeparated(
    isOrigin,
    'an origin such as https://www.example.com, without a path or a slash at its end',
  ),
  /** Whose `X-Forwarded-For` counts; from anyone else it could say whatever the sender likes. */
  TRAWL_TRUSTED_PROXIES: commaSeparated(isNetwork, 'an IP address or a network such as 10.0.0.0/8'),
  /** Outgoing e-mail; without it each one is an `.eml` file in the data folder. */
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, hostname: /./, error: 'must be like smtp://user:password@host:587 or smtps://host' })
    .optional(),
  /** Gets a copy of each contact message, and hears of accounts that wait for a worker. */
  CONTACT_EMAIL: emailAddress,
  /** The site's address for people: shown on /contact, and the sender of its e-mail. */
  SITE_EMAIL: emailAddress,
  TRAWL_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** How long the audit log says who did what. */
  TRAWL_AUDIT_DAYS: z.coerce.number().int().min(1).max(3_650).default(365),
  /** How long runs, their saved echoes and the record of fires are kept; 0 for ever. */
  TRAWL_HISTORY_DAYS: z.coerce.number().int().min(0).max(36_500).default(0),
  /** Where skripts' libraries come from; by default where npm on this machine has them from. */
  TRAWL_NPM_REGISTRY: z.url({ protocol: /^https?$/ }).optional(),
  /** `1` when `npm start` runs this process: it then ends when its standard input closes. */
  TRAWL_SUPERVISED: z.enum(['0', '1']).default('0'),
});
const quotaSchema = z.object(quotaSettings);

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  publicUrl: string;
  postgresUrl: string;
  mongodbUri: string;
  secret: string;
  corsOrigins: string[];
  trustedProxies: string[];
  smtpUrl: string | undefined;
  contactEmail: string | undefined;
  siteEmail: string;
  logLevel: z.infer<typeof settingsSchema>['TRAWL_LOG_LEVEL'];
  supervised: boolean;
  quotas: QuotaLimits;
  auditDays: number;
  historyDays: number;
  npmRegistry: string | undefined;
  websiteDir: string;
  panelDir: string;
}

/** Thrown for settings that cannot be used; the message has a line for each. */
export class ConfigError extends Error {}

/**
 * The only place that reads the environment.
 * @throws {ConfigError} naming each wrong setting and what was expected.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const parsed = settingsSchema.and(quotaSchema).safeParse(dropEmpty(env));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings cannot be used:\n${lines.join('\n')}\n.env.example lists every setting.`);
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
    mongodbUri: settings.MONGODB_URI,
    secret: settings.TRAWL_SECRET ?? keptSecret(dataDir),
    corsOrigins: settings.TRAWL_CORS_ORIGINS,
    trustedProxies: settings.TRAWL_TRUSTED_PROXIES,
    smtpUrl: settings.SMTP_URL,
    contactEmail: settings.CONTACT_EMAIL,
    siteEmail: settings.SITE_EMAIL ?? `info@${new URL(publicUrl).hostname}`,
    logLevel: settings.TRAWL_LOG_LEVEL,
    supervised: settings.TRAWL_SUPERVISED === '1',
    auditDays: settings.TRAWL_AUDIT_DAYS,
    historyDays: settings.TRAWL_HISTORY_DAYS,
    npmRegistry: settings.TRAWL_NPM_REGISTRY,
    quotas: Object.fromEntries(QUOTA_NAMES.map(name => [name, settings[settingOf(name)]])) as QuotaLimits,
    websiteDir: join(repositoryRoot, 'website/build'),
    panelDir: join(repositoryRoot, 'panel/dist/app'),
  };
}

/** `NAME=` in an `.env` file means "not set". */
function dropEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
}

function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'secret');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const secret = randomBytes(32).toString('base64url');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}

/** Injection token of `Config`. */
export const CONFIG = Symbol('config');
