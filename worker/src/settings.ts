import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { SANDBOX_LEVELS, type SandboxLevel } from '@trawl/contracts';
import { z } from 'zod';
import { type AllowedEntry, parseAllowed } from './egress/allow-list.js';
import type { LimitSettings, RunLimits } from './executor/limits.js';

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const schema = z.object({
  /** The platform. Its own default port on this machine, so that a worker beside it needs no setting. */
  TRAWL_URL: z
    .url({
      protocol: /^(https?|wss?)$/,
      error: 'expected the address of the platform, such as https://trawl.example.com',
    })
    .default('http://127.0.0.1:3000')
    .refine(isPrivateOnTheWay, {
      error:
        'plain http:// and ws:// are refused beyond this machine, because the key and the inputs of runs would be readable on the way; use https://',
    }),
  /** Shown once when an administrator adds the worker. */
  TRAWL_WORKER_KEY: z
    .string({ error: 'expected the key that was shown when the worker was added' })
    .startsWith('trw_', { error: 'expected a worker key, which begins with trw_' }),
  /** Beside the platform's own files by default; the worker uses the folder `worker` in it. */
  TRAWL_DATA_DIR: z.string().min(1).default('./.trawl'),
  /** What went wrong and what began and ended; `debug` adds what is said to the platform. */
  TRAWL_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** The Chromium or Chrome of runs with a browser; without it an installed one, else the one from npm. */
  CHROME_PATH: z.string().optional(),
  /** What installed npm libraries may take on the disk, all together; those of one skript half of it. */
  TRAWL_LIBRARIES_MB: wholeNumber('a whole number of megabytes', 1, 1_048_576).default(2_048),
  /** Where npm libraries come from; by default where npm on this machine has them from. */
  TRAWL_NPM_REGISTRY: z.url({ protocol: /^https?$/, error: 'expected the address of an npm registry' }).optional(),
  /** `1` when a supervisor holds a pipe as stdin: the worker ends when it closes, so that it never outlives it. */
  TRAWL_SUPERVISED: z.enum(['0', '1']).default('0'),
  /** Where `POST /execute-skript/start` listens; without it the worker takes no calls. */
  TRAWL_CALL_PORT: wholeNumber('a port', 1, 65_535).optional(),
  TRAWL_CALL_HOST: z.string().default('127.0.0.1'),
  /** What callers show. Of the worker's own making, so that it is good for calls to this worker and nothing else. */
  TRAWL_CALL_KEY: z
    .string()
    .min(32, { error: 'expected at least 32 characters that nobody guesses' })
    .regex(/^[\x21-\x7e]+$/, { error: 'expected letters, digits and signs of ASCII, without a space' })
    .refine(key => !/^tr[wk]_/.test(key), { error: 'expected a key of its own, no worker key and no API key' })
    .optional(),
  /** An API key of the account whose skripts are started, of the scope `run`. It stays on the worker. */
  TRAWL_CALL_ACCOUNT_KEY: z
    .string()
    .startsWith('trk_', { error: 'expected an API key, which begins with trk_' })
    .optional(),
  /** `host:port` or `cidr:port`, comma-separated: what runs may reach over TCP although it is loopback, private or local. */
  TRAWL_EGRESS_ALLOW: z.string().default('').transform(allowedEntries),
  /** The strongest sandbox to make of what this machine offers. */
  TRAWL_SANDBOX: z.enum(SANDBOX_LEVELS).default('full'),
  /** Of one run, all its processes together; each environment has a default of its own (`executor/limits.ts`). */
  TRAWL_RUN_MEMORY_MB: wholeNumber('a whole number of megabytes', 64, 1_048_576).optional(),
  TRAWL_RUN_CPU_S: wholeNumber('a whole number of seconds of processor time', 1, 31_536_000).optional(),
  TRAWL_RUN_PROCESSES: wholeNumber(
    'a whole number of processes and threads, of which Node alone needs 12',
    16,
    32_768,
  ).optional(),
  TRAWL_RUN_FILES: wholeNumber('a whole number of files', 64, 10_000_000).optional(),
  TRAWL_RUN_DISK_MB: wholeNumber('a whole number of megabytes', 1, 1_048_576).optional(),
});

/** How calls are taken, and as whom skripts are started for them. */
export interface CallSettings {
  host: string;
  port: number;
  key: string;
  accountKey: string;
}

function wholeNumber(what: string, min: number, max: number) {
  const error = `expected ${what}, from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** `NAME=` sets nothing. */
const withoutEmpty = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));

export interface Settings {
  /** Without a slash at its end. */
  url: string;
  key: string;
  /** Absolute; the worker's own folder. */
  folder: string;
  logLevel: z.infer<typeof schema>['TRAWL_LOG_LEVEL'];
  /** Null when nothing is said about it. */
  chromePath: string | null;
  librariesMb: number;
  npmRegistry: string | undefined;
  supervised: boolean;
  /** Null when no calls are taken. */
  calls: CallSettings | null;
  /** What runs may reach although it is private. */
  egressAllow: AllowedEntry[];
  sandbox: SandboxLevel;
  /** Only those that are set. */
  limits: LimitSettings;
}

function allowedEntries(text: string, context: z.RefinementCtx): AllowedEntry[] {
  try {
    return parseAllowed(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}

function isPrivateOnTheWay(address: string): boolean {
  // What is no address at all has been complained of already.
  if (!URL.canParse(address)) return true;
  const url = new URL(address);
  if (url.protocol === 'https:' || url.protocol === 'wss:' || LOOPBACK.test(url.hostname)) return true;
  // What goes to an address of this machine's own does not leave it.
  const own = Object.values(networkInterfaces()).flatMap(addresses => addresses ?? []);
  return own.some(({ address }) => address === url.hostname.replace(/^\[|\]$/g, ''));
}

function callsOf(settings: z.infer<typeof schema>): CallSettings | null {
  const {
    TRAWL_CALL_HOST: host,
    TRAWL_CALL_PORT: port,
    TRAWL_CALL_KEY: key,
    TRAWL_CALL_ACCOUNT_KEY: accountKey,
  } = settings;
  if (port === undefined) return null;
  if (key !== undefined && accountKey !== undefined) return { host, port, key, accountKey };
  throw new Error(
    "The worker's settings are not right.\nTRAWL_CALL_PORT: needs TRAWL_CALL_KEY, which callers show, and TRAWL_CALL_ACCOUNT_KEY, an API key of the account whose skripts are started",
  );
}

/** @throws Error with a line for each variable that is wrong. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const parsed = schema.safeParse(withoutEmpty(environment));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The worker's settings are not right.\n${lines.join('\n')}`);
  }
  const settings = parsed.data;
  return {
    url: settings.TRAWL_URL.replace(/^ws/, 'http').replace(/\/+$/, ''),
    key: settings.TRAWL_WORKER_KEY,
    folder: resolve(settings.TRAWL_DATA_DIR, 'worker'),
    logLevel: settings.TRAWL_LOG_LEVEL,
    chromePath: settings.CHROME_PATH || null,
    librariesMb: settings.TRAWL_LIBRARIES_MB,
    npmRegistry: settings.TRAWL_NPM_REGISTRY,
    supervised: settings.TRAWL_SUPERVISED === '1',
    calls: callsOf(settings),
    egressAllow: settings.TRAWL_EGRESS_ALLOW,
    sandbox: settings.TRAWL_SANDBOX,
    limits: onlySet({
      memoryMb: settings.TRAWL_RUN_MEMORY_MB,
      cpuS: settings.TRAWL_RUN_CPU_S,
      processes: settings.TRAWL_RUN_PROCESSES,
      files: settings.TRAWL_RUN_FILES,
      diskMb: settings.TRAWL_RUN_DISK_MB,
    }),
  };
}

function onlySet(limits: { [name in keyof RunLimits]: number | undefined }): LimitSettings {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
