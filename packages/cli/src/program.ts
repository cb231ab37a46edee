import { Command, type CommandOptions } from 'commander';
import type { Context } from './context.js';
import { helpAsJson } from './help-as-json.js';
import { VERSION } from './version.js';

/** The function of a command. It gets the arguments, the options and the context, in this order. */
type Run = (...args: never[]) => Promise<void>;
type Load = () => Promise<{ default: Run }>;

const SKRIPT = '[skript]';
const SKRIPT_OPTION = ['-s, --skript <title>', 'the skript whose folder is in the current one'] as const;
const OF_SKRIPT = ['-s, --skript <title>', 'title or id (default: the skript in the current folder)'] as const;
const YES = ['-y, --yes', 'do not ask'] as const;
const DRY_RUN = ['--dry-run', 'change nothing, only show what would happen'] as const;
const OVERWRITE = ['--force', 'overwrite what was changed on the platform since the last upload'] as const;

const EXIT_CODES = `
Exit codes:
  0  done                         4    no such skript, run, file or secret
  1  the run or command failed    5    a conflict, such as local changes
  2  wrong usage                  6    the platform is unreachable
  3  not signed in or allowed     7    the rows of the run are broken
                                  130  cancelled`;

/**
 * Declares all commands. Each loads its code when it runs, so that help is fast.
 *
 * @param isJson whether errors and help are JSON, so that commander writes no text itself
 */
export function createProgram(isJson: boolean): Command {
  const program = new Command('trawl')
    .description('Write skripts in your own editor, run them here or on a Trawl platform.')
    .version(isJson ? JSON.stringify(VERSION) : VERSION, '-v, --version')
    .option('--json', 'print the result as JSON')
    .option('--profile <name>', 'use the account of this profile')
    .configureHelp({ showGlobalOptions: true, ...(isJson ? { formatHelp: helpAsJson } : {}) })
    .configureOutput(isJson ? { writeErr: () => {} } : {})
    .showHelpAfterError('(trawl --help lists commands; trawl <command> --help shows one)')
    .addHelpText('after', isJson ? '' : EXIT_CODES)
    .exitOverride();
  account(program);
  skripts(program);
  runs(program);
  schedules(program);
  webhooks(program);
  tools(program);
  return program;
}

function account(program: Command): void {
  add(program, 'login', 'sign in to a platform', () => import('./commands/account/login.js'))
    .option('--url <address>', 'address of the platform')
    .option('--username <name>', 'your username')
    .option('--password-stdin', 'read the password from stdin')
    .option('--key-stdin', 'read an API key from stdin, instead of signing in');
  add(program, 'logout', 'end the session and forget it', () => import('./commands/account/logout.js'));
  add(program, 'whoami', 'show the account that commands use', () => import('./commands/account/whoami.js'));
  const keys = program.command('keys').description('list, create and revoke API keys');
  add(keys, 'list', 'list API keys, also without `list`', () => import('./commands/keys/list.js'), { isDefault: true });
  add(keys, 'create <name>', 'create an API key and print it', () => import('./commands/keys/create.js'))
    .option('--scope <name>', 'read, run or all', 'run')
    .option('--expires <when>', 'a date, or a number of days such as 90d (default: never)')
    .option(...DRY_RUN);
  add(keys, 'revoke <key>', 'revoke an API key, by its name or id', () => import('./commands/keys/revoke.js'))
    .alias('rm')
    .option(...YES)
    .option(...DRY_RUN);
}

function skripts(program: Command): void {
  add(program, 'init [title]', 'create the folder of a new skript', () => import('./commands/skripts/init.js'))
    .alias('i')
    .option('-t, --template <name>', 'typescript (default), plain, cheerio, browser, crawlee or flow');
  add(program, 'bundle', 'write dist/mainBundle.js', () => import('./commands/skripts/bundle.js'))
    .alias('b')
    .option(...SKRIPT_OPTION);
  add(program, 'bundleRemove', 'remove dist/mainBundle.js', () => import('./commands/skripts/bundle-remove.js'))
    .alias('brm')
    .option(...SKRIPT_OPTION);
  add(program, 'check', 'print the type errors of a skript', () => import('./commands/skripts/check.js')).option(
    ...SKRIPT_OPTION,
  );
  values(add(program, 'start', 'run a skript on this computer', () => import('./commands/skripts/start.js')))
    .alias('s')
    .option('-b, --bundle', 'run dist/mainBundle.js instead of main.js')
    .option('--record [name]', 'save the HTTP exchanges and the rows in the folder `records`, for `trawl test`')
    .option(...SKRIPT_OPTION);
  values(add(program, 'dev', 'run a skript again on each save', () => import('./commands/skripts/dev.js')))
    .option('-r, --remote', 'upload it, and run it on the platform')
    .option(...SKRIPT_OPTION);
  add(program, 'test [files...]', 'run the tests of a skript', () => import('./commands/skripts/test.js'))
    .option('-n, --name <pattern>', 'only tests whose names match this regular expression')
    .option(...SKRIPT_OPTION);
  add(program, 'upload', 'send a skript to the platform', () => import('./commands/skripts/upload.js'))
    .alias('u')
    .option(...SKRIPT_OPTION)
    .option('-a, --all', 'all skripts whose folders are in the current one')
    .option('--secrets', 'also send input secrets that the platform has already')
    .option('--delete', 'also delete files and inputs that only the platform has')
    .option(...OVERWRITE)
    .option(...DRY_RUN);
  add(program, 'update', 'send only manifest.json to the platform', () => import('./commands/skripts/update.js'))
    .option(...SKRIPT_OPTION)
    .option(...OVERWRITE)
    .option(...DRY_RUN);
  add(
    program,
    `download ${SKRIPT}`,
    'bring the folder of a skript up to date with the platform',
    () => import('./commands/skripts/download.js'),
  )
    .alias('d')
    .option('-f, --folder <path>', 'the folder (default: one with the title)')
    .option('--force', 'replace local files that differ, and keep copies')
    .option(...DRY_RUN);
  add(program, 'delete <skript>', 'delete the folder of a skript', () => import('./commands/skripts/delete.js'))
    .option('-r, --remote', 'delete the skript on the platform instead')
    .option(...YES)
    .option(...DRY_RUN);
}

function runs(program: Command): void {
  values(add(program, `run ${SKRIPT}`, 'run a skript on the platform', () => import('./commands/runs/run.js')))
    .option('-w, --watch', 'upload the current folder first, and again on each save')
    .option('-d, --detach', 'do not wait for the end')
    .option('--worker <id>', 'the worker (default: any)')
    .option('--force', 'start even if the same run is live')
    .option('--record', 'record the HTTP exchanges, for `trawl replay`')
    .option(...DRY_RUN);
  values(
    add(
      program,
      `call ${SKRIPT}`,
      'run a skript on the platform and print its output',
      () => import('./commands/runs/call.js'),
    ),
  )
    .option('--worker <id>', 'the worker (default: any)')
    .option('--force', 'start even if the same run is live')
    .option(...DRY_RUN);
  add(
    program,
    'logs [run]',
    'print the echoes of a run, or of a skript’s latest run',
    () => import('./commands/runs/logs.js'),
  ).option('-f, --follow', 'continue until the run has ended');
  add(program, `executions ${SKRIPT}`, 'list runs, the latest first', () => import('./commands/runs/executions.js'))
    .option('--limit <count>', 'how many', '20')
    .option('--verdict <level>', 'only runs whose rows are new, ok, unusual or broken');
  add(
    program,
    'replay <run>',
    'run the current folder against the record of a run, and compare the rows',
    () => import('./commands/runs/replay.js'),
  )
    .option(...SKRIPT_OPTION)
    .option('--on-miss <way>', 'for requests without a recorded answer: fail, network (default: fail)');
  const records = program.command('records').description('save records of runs for `trawl test`');
  add(
    records,
    'pull [run]',
    'save the record of a run in the folder `records`',
    () => import('./commands/runs/records-pull.js'),
  )
    .option(...SKRIPT_OPTION)
    .option('--name <name>', 'name of the record (default: the id of the run)');
  add(program, 'stop [run]', 'stop a run, or all live runs of a skript', () => import('./commands/runs/stop.js'))
    .option(...OF_SKRIPT)
    .option(...DRY_RUN);
  add(
    program,
    'answer [run]',
    'answer a question of a run, or of a skript’s latest run',
    () => import('./commands/runs/answer.js'),
  )
    .option('--seq <number>', 'the question (default: the oldest open one)')
    .option('--text <answer>', 'the answer (default: ask for it)')
    .option(...DRY_RUN);
}

function schedules(program: Command): void {
  const group = program.command('schedules').description('list, add, pause, resume, run and delete schedules');
  add(group, `list ${SKRIPT}`, 'list schedules, also without `list`', () => import('./commands/schedules/list.js'), {
    isDefault: true,
  });
  add(group, 'add <cron>', 'run a skript at set times', () => import('./commands/schedules/add.js'))
    .option(...OF_SKRIPT)
    .option('--name <name>', 'name of the schedule (default: that of the skript)')
    .option('--time-zone <name>', 'such as Europe/Zagreb (default: that of this computer)')
    .option('--worker <id>', 'the worker (default: any)')
    .option(...DRY_RUN);
  add(group, 'pause <schedule>', 'start no runs until `resume`', () => import('./commands/schedules/pause.js')).option(
    ...DRY_RUN,
  );
  add(group, 'resume <schedule>', 'continue a paused schedule', () => import('./commands/schedules/resume.js')).option(
    ...DRY_RUN,
  );
  add(group, 'run <schedule>', 'start a run now', () => import('./commands/schedules/run.js')).option(...DRY_RUN);
  add(group, 'rm <schedule>', 'delete a schedule', () => import('./commands/schedules/rm.js'))
    .option(...YES)
    .option(...DRY_RUN);
}

function webhooks(program: Command): void {
  const group = program.command('webhooks').description('list, create, delete, test and receive webhooks');
  add(group, 'list', 'list webhooks, also without `list`', () => import('./commands/webhooks/list.js'), {
    isDefault: true,
  });
  add(group, 'create <url>', 'create a webhook and print its secret', () => import('./commands/webhooks/create.js'))
    .alias('add')
    .option('--name <name>', 'name of the webhook (default: the URL)')
    .option('--events <names>', 'events separated by commas, such as run.failed,schedule.missed (default: all)')
    .option(...DRY_RUN);
  add(group, 'rm <webhook>', 'delete a webhook', () => import('./commands/webhooks/rm.js'))
    .alias('delete')
    .option(...YES)
    .option(...DRY_RUN);
  add(group, 'test <webhook>', 'send a test event', () => import('./commands/webhooks/test.js')).option(...DRY_RUN);
  add(
    group,
    'listen [webhook]',
    'receive events on this computer (default: all events of the account)',
    () => import('./commands/webhooks/listen.js'),
  )
    .option('--events <names>', 'events separated by commas (default: all)')
    .option('--forward <address>', 'also send them to a program on this computer, such as localhost:8080/hook')
    .option('--limit <count>', 'end after so many events');
}

function tools(program: Command): void {
  const secrets = program.command('secrets').description('store, list and delete input secrets');
  add(
    secrets,
    'set <name>',
    'store an input secret, from a question or stdin',
    () => import('./commands/secrets/set.js'),
  )
    .option(...OF_SKRIPT)
    .option(...DRY_RUN);
  add(secrets, 'list', 'list names', () => import('./commands/secrets/list.js')).option(...OF_SKRIPT);
  add(secrets, 'rm <name>', 'delete an input secret', () => import('./commands/secrets/rm.js'))
    .option(...OF_SKRIPT)
    .option(...YES)
    .option(...DRY_RUN);
  add(
    program,
    'rows <collection-or-run>',
    'print the documents of a MongoDB collection, or the rows of a run',
    () => import('./commands/storage/rows.js'),
  )
    .option('--database <name>', 'name or id (default: your oldest one)')
    .option('--filter <json>', 'a MongoDB filter')
    .option('--csv', 'print CSV instead of one JSON value a line')
    .option('--extended', 'print Extended JSON, which keeps the types of ids and dates')
    .option('--limit <count>', 'how many (default: all)')
    .option('-f, --follow', 'continue with new rows until the run has ended');
  add(
    program,
    'export <collection-or-run>',
    'download a collection, the rows of a run, or a table',
    () => import('./commands/storage/export.js'),
  )
    .option('-o, --output <file>', 'the file (default: stdout)')
    .option('--format <name>', 'csv, json, ndjson, extjson, xlsx or parquet (default: as the name of the file, or csv)')
    .option('--fields <names>', 'fields separated by commas, such as title,seller.country (default: all)')
    .option('--filter <json>', 'a MongoDB filter')
    .option('--no-flatten', 'keep objects in one column, as JSON')
    .option('--bom', 'begin CSV with a byte order mark, for Excel')
    .option('--database <name>', 'name or id (default: your oldest one)')
    .option('--table', 'the name is a table of PostgreSQL')
    .option('--schema <name>', 'schema of the table (default: public)')
    .option('--force', 'replace the file if it exists');
  add(
    program,
    'import <file> <collection>',
    'store the rows of a CSV, XLSX, Parquet, NDJSON or JSON file in a collection or table',
    () => import('./commands/storage/import.js'),
  )
    .option('--database <name>', 'name or id (default: your oldest one)')
    .option('--table', 'the name is a table of PostgreSQL')
    .option('--schema <name>', 'schema of the table (default: public)')
    .option('--key <fields>', 'update the documents or rows with the same values in these fields, separated by commas')
    .option('--format <name>', 'csv, ndjson, extjson, json, xlsx or parquet (default: as the file)')
    .option('--delimiter <name>', 'comma, semicolon, tab or pipe (default: as the file)')
    .option('--decimal-mark <name>', 'point or comma, the character before decimals in CSV (default: point)')
    .option('--encoding <name>', 'character encoding, such as windows-1250 (default: detected)')
    .option('--skip-lines <number>', 'lines above the header of CSV (default: detected)')
    .option('--sheet <name>', 'sheet of a workbook (default: the first that has rows)')
    .option('--no-header', 'the first row of CSV is not a header')
    .option('--skip-bad-rows', 'import the other rows if some are bad')
    .option('--bad-rows <file>', 'write the bad rows to a file')
    .option(...DRY_RUN);
  add(program, 'api <method> <path>', 'call an operation of the API', () => import('./commands/tools/api.js'))
    .option('-d, --data <json>', 'body; @file or - for stdin')
    .option(...DRY_RUN);
  add(program, `open ${SKRIPT}`, 'open the panel in a browser', () => import('./commands/tools/open.js'));
  add(program, 'doctor', 'check what the commands need', () => import('./commands/tools/doctor.js'));
  add(
    program,
    'completion <shell>',
    'print a completion script for bash, zsh or fish',
    () => import('./commands/tools/completion.js'),
  );
  program.command('__complete [words...]', { hidden: true }).action(async (words: string[]) => {
    const { default: complete } = await import('./commands/tools/complete.js');
    await complete(words, program, await contextOf(program));
  });
}

/** Options for the values of a run. Commander knows no short option of two letters, so `withShortSecret` handles -is. */
function values(command: Command): Command {
  return command
    .option('-i, --input <file>', 'JSON file with the input; - for stdin')
    .option('--inputSecret <file>', 'JSON file with the input secret (short: -is)');
}

/** Replaces the option `-is` by its long form. The value of another option stays as it is. */
export function withShortSecret(args: readonly string[], program: Command): string[] {
  const options = [program, ...program.commands].flatMap(command => command.options);
  const withValue = options.flatMap(({ required, short, long }) => (required ? [short, long] : []));
  return args.map((arg, at) => (arg === '-is' && !withValue.includes(args[at - 1]) ? '--inputSecret' : arg));
}

function add(parent: Command, name: string, description: string, load: Load, options?: CommandOptions): Command {
  const command = parent.command(name, options).description(description);
  return command.action(async (...args: unknown[]) => {
    const [{ default: run }, context] = await Promise.all([load(), contextOf(command)]);
    // Commander appends the command itself.
    await run(...(args.slice(0, -1) as never[]), context as never);
  });
}

async function contextOf(command: Command): Promise<Context> {
  const { Output } = await import('./terminal/output.js');
  const { json, profile } = command.optsWithGlobals<{ json?: boolean; profile?: string }>();
  return { output: new Output(json ?? false), profile };
}
