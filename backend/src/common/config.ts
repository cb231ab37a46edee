import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

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
  TRAWL_LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  /** `1` when `npm start` runs this process: it then ends when its standard input closes. */
  TRAWL_SUPERVISED: z.enum(['0', '1']).default('0'),
});

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  publicUrl: string;
  postgresUrl: string;
  mongodbUri: string;
  secret: string;
  logLevel: z.infer<typeof settingsSchema>['TRAWL_LOG_LEVEL'];
  supervised: boolean;
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
  const parsed = settingsSchema.safeParse(dropEmpty(env));
  if (!parsed.success) {
    const lines = parsed.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`These settings cannot be used:\n${lines.join('\n')}\n.env.example lists every setting.`);
  }
  const settings = parsed.data;
  const dataDir = resolve(settings.TRAWL_DATA_DIR);
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir,
    publicUrl: settings.TRAWL_PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    postgresUrl: settings.POSTGRES_URL,
    mongodbUri: settings.MONGODB_URI,
    secret: settings.TRAWL_SECRET ?? keptSecret(dataDir),
    logLevel: settings.TRAWL_LOG_LEVEL,
    supervised: settings.TRAWL_SUPERVISED === '1',
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
