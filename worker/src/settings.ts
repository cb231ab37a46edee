import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import { SANDBOX_LEVELS, type SandboxLevel } from '@trawl/contracts';
import { settingsWithFiles } from '@trawl/embedded/setting-files';
import * as z from 'zod';
import { type AllowedEntry, parseAllowed } from './egress/allow-list.js';
import type { LimitSettings } from './executor/limits/limit-settings.js';
import type { RunLimits } from './process/run-process.js';

const MB = 1024 * 1024;
const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The settings that local runs of the command line have too. */
const runSchema = z.object({
  /** Path of the Chromium or Chrome for runs. By default, an installed one is used, or else Debian's or npm's. */
  CHROME_PATH: z.string().optional(),
  /**
   * Loopback, private and local addresses that runs may reach over TCP: a list of `host:port` or `cidr:port`, separated
   * by commas.
   */
  TRAWL_EGRESS_ALLOW: z.string().default('').transform(allowedEntries),
  /**
   * This and the following settings are limits of one run, for all its processes together. The defaults depend on the
   * environment (`executor/limits/`).
   */
  TRAWL_RUN_MEMORY_MB: wholeNumber('a whole number of megabytes', 64, 1_048_576).optional(),
  TRAWL_RUN_CPU_S: wholeNumber('a whole number of seconds of processor time', 1, 31_536_000).optional(),
  TRAWL_RUN_PROCESSES: wholeNumber(
    'a whole number of processes and threads, of which Node alone needs 12',
    16,
    32_768,
  ).optional(),
  TRAWL_RUN_FILES: wholeNumber('a whole number of files', 64, 10_000_000).optional(),
  TRAWL_RUN_OPEN_FILES: wholeNumber('a whole number of open files in each process', 256, 1_048_576).optional(),
  TRAWL_RUN_DISK_MB: wholeNumber('a whole number of megabytes', 1, 1_048_576).optional(),
});

const schema = runSchema.extend({
  /** Address of the platform. The default is this machine, with the platform's default port. */
  TRAWL_URL: z
    .url({
      protocol: /^(https?|wss?)$/,
      error: 'expected the address of the platform, such as https://trawl.example.com',
    })
    .default('http://127.0.0.1:3000')
    .refine(isPrivate, {
      error:
        'plain http:// and ws:// are refused except to this machine, because others could read the key and the inputs of runs; use https://',
    }),
  /**
   * The key of this worker. The platform shows it only once, when an administrator adds the worker. `stdin`: the
   * supervisor writes it to standard input as soon as the platform is ready.
   */
  TRAWL_WORKER_KEY: z
    .string({ error: 'expected the key that was shown when the worker was added' })
    .regex(/^(trw_.*|stdin)$/s, { error: 'expected a worker key, which begins with trw_' }),
  /**
   * Folder for data; the worker uses only the folder `worker` inside it. The default is the same folder as that of the
   * platform.
   */
  TRAWL_DATA_DIR: z.string().min(1).default('./.trawl'),
  TRAWL_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /**
   * Maximum disk space for all installed npm libraries, in megabytes. The libraries of one skript may use half of it, and
   * those of one account, too.
   */
  TRAWL_LIBRARIES_MB: wholeNumber('a whole number of megabytes', 1, 1_048_576).default(2_048),
  /** Maximum number of files and folders of all installed npm libraries, with the same halves. */
  TRAWL_LIBRARIES_FILES: wholeNumber('a whole number of files and folders', 100, 100_000_000).default(200_000),
  /** Warn when less is free on the disk of the worker's folder, in megabytes. 0 never warns. */
  TRAWL_DISK_WARN_MB: wholeNumber('a whole number of megabytes', 0, 1_073_741_824).default(2_048),
  /** Address of the npm registry. The default is the registry that npm uses on this machine. */
  TRAWL_NPM_REGISTRY: z.url({ protocol: /^https?$/, error: 'expected the address of an npm registry' }).optional(),
  /**
   * `1` if a supervisor has started this process as a worker. The worker's standard input is then a pipe from the
   * supervisor, and the worker ends when the pipe closes.
   */
  TRAWL_SUPERVISED: z.enum(['0', '1']).default('0'),
  /** Port of `POST /execute-skript/start`; without it, the worker accepts no calls. */
  TRAWL_CALL_PORT: wholeNumber('a port', 1, 65_535).optional(),
  TRAWL_CALL_HOST: z.string().default('127.0.0.1'),
  /**
   * The key that callers must send. It must not be a key of the platform, so that it works only for calls to this
   * worker.
   */
  TRAWL_CALL_KEY: z
    .string()
    .min(32, { error: 'expected at least 32 random characters' })
    .regex(/^[\x21-\x7e]+$/, { error: 'expected visible ASCII characters, without spaces' })
    .refine(key => !/^tr[wk]_/.test(key), { error: 'expected a key of its own, not a worker key or an API key' })
    .optional(),
  /** An API key of the account whose skripts are started by calls. Its scope is `run`. Callers never see this key. */
  TRAWL_CALL_ACCOUNT_KEY: z
    .string()
    .startsWith('trk_', { error: 'expected an API key, which begins with trk_' })
    .optional(),
  /** Address of an OpenTelemetry collector. The SDK reads it and the other `OTEL_…` variables from the environment. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'expected the address of a collector' }).optional(),
  /** Number of runs that the worker takes at once. By default it has a slot for each run that fits in its memory. */
  TRAWL_SLOTS: wholeNumber('a whole number of runs', 1, 480).optional(),
  /** `1` downloads Debian's newest Chromium every week, when the machine has no current one. */
  TRAWL_FETCH_CHROMIUM: z.enum(['0', '1']).default('1'),
  /** The strongest sandbox level to use, if this machine supports it. */
  TRAWL_SANDBOX: z.enum(SANDBOX_LEVELS).default('full'),
});

/**
 * The address at which the worker listens for calls, the key of callers, and the key of the account whose skripts it
 * starts.
 */
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

/** The settings of runs. */
export interface RunSettings {
  /** Path of the Chromium or Chrome for runs; null when unset. */
  chromePath: string | null;
  /** Private addresses that runs may reach. */
  egressAllow: AllowedEntry[];
  /** The limits that are set. A limit that is missing here has its default. */
  limits: LimitSettings;
}

export interface Settings extends RunSettings {
  /** Without a trailing slash. */
  url: string;
  key: string;
  /** Absolute path of the worker's own folder. */
  folder: string;
  logLevel: z.infer<typeof schema>['TRAWL_LOG_LEVEL'];
  librariesMb: number;
  librariesFiles: number;
  /** Warn when less is free on the disk of the folder. */
  diskWarnBytes: number;
  npmRegistry: string | undefined;
  supervised: boolean;
  /** Whether to download Debian's newest Chromium when the machine has no current one. */
  fetchChromium: boolean;
  /** Null when the worker accepts no calls. */
  calls: CallSettings | null;
  sandbox: SandboxLevel;
  /** Whether the worker sends traces. */
  tracing: boolean;
  /** Number of slots; null when unset. */
  slots: number | null;
}

function allowedEntries(text: string, context: z.RefinementCtx): AllowedEntry[] {
  try {
    return parseAllowed(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}

function isPrivate(address: string): boolean {
  // Accept an invalid URL here, because another rule reports it.
  if (!URL.canParse(address)) return true;
  const url = new URL(address);
  if (url.protocol === 'https:' || url.protocol === 'wss:' || LOOPBACK.test(url.hostname)) return true;
  // Also accept the machine's own addresses, because traffic to them does not leave the machine.
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
    "The worker's settings are invalid.\nTRAWL_CALL_PORT: also set TRAWL_CALL_KEY, the key of callers, and TRAWL_CALL_ACCOUNT_KEY, an API key of the account whose skripts they start",
  );
}

/** @throws Error with a line for each invalid variable */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const settings = parsed(schema, environment, "The worker's settings are invalid.");
  return {
    ...runSettingsOf(settings),
    url: settings.TRAWL_URL.replace(/^ws/, 'http').replace(/\/+$/, ''),
    key: settings.TRAWL_WORKER_KEY,
    folder: resolve(settings.TRAWL_DATA_DIR, 'worker'),
    logLevel: settings.TRAWL_LOG_LEVEL,
    librariesMb: settings.TRAWL_LIBRARIES_MB,
    librariesFiles: settings.TRAWL_LIBRARIES_FILES,
    diskWarnBytes: settings.TRAWL_DISK_WARN_MB * MB,
    npmRegistry: settings.TRAWL_NPM_REGISTRY,
    supervised: settings.TRAWL_SUPERVISED === '1',
    fetchChromium: settings.TRAWL_FETCH_CHROMIUM === '1',
    calls: callsOf(settings),
    sandbox: settings.TRAWL_SANDBOX,
    tracing: settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    slots: settings.TRAWL_SLOTS ?? null,
  };
}

/**
 * Reads the settings of local runs.
 *
 * @throws Error with a line for each invalid variable
 */
export const readRunSettings = (environment: NodeJS.ProcessEnv): RunSettings =>
  runSettingsOf(parsed(runSchema, environment, 'The settings of local runs are invalid.'));

function parsed<T extends z.ZodObject>(type: T, environment: NodeJS.ProcessEnv, problem: string): z.infer<T> {
  const settings = settingsWithFiles(environment, Object.keys(type.shape));
  const { success, data, error } = type.safeParse(settings);
  if (success) return data;
  const lines = error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`${problem}\n${lines.join('\n')}`);
}

const runSettingsOf = (settings: z.infer<typeof runSchema>): RunSettings => ({
  chromePath: settings.CHROME_PATH || null,
  egressAllow: settings.TRAWL_EGRESS_ALLOW,
  limits: onlySet({
    memoryMb: settings.TRAWL_RUN_MEMORY_MB,
    cpuS: settings.TRAWL_RUN_CPU_S,
    processes: settings.TRAWL_RUN_PROCESSES,
    files: settings.TRAWL_RUN_FILES,
    openFiles: settings.TRAWL_RUN_OPEN_FILES,
    diskMb: settings.TRAWL_RUN_DISK_MB,
  }),
});

function onlySet(limits: { [name in keyof RunLimits]: number | undefined }): LimitSettings {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
