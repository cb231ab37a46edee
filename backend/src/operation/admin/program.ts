import { Command } from 'commander';

/** A command gets its arguments, then its options. If it returns a number, that is the exit code. */
type Run = (...args: never[]) => Promise<unknown>;
type Load = () => Promise<{ default: Run }>;

const EXIT_CODES = `
Exit codes:
  0  done
  1  the command failed, or doctor found something to mend
  2  wrong usage`;

/** Declares all commands. Each loads its code when it runs, so that help is fast. */
export function createProgram(): { parse: (args: string[]) => Promise<number> } {
  let exitCode = 0;
  const program = new Command('trawl-admin')
    .description(
      'Administers a Trawl platform on the machine of its backend. Reads the settings of the backend, from the ' +
        'environment and the file .env; the backend need not run.',
    )
    .showHelpAfterError('(trawl-admin --help lists commands)')
    .addHelpText('after', EXIT_CODES)
    .exitOverride();

  const add = (parent: Command, name: string, description: string, load: Load): Command =>
    parent
      .command(name)
      .description(description)
      .action(async (...args: unknown[]) => {
        const { default: run } = await load();
        // Commander appends the command itself.
        const result = await run(...(args.slice(0, -1) as never[]));
        if (typeof result === 'number') exitCode = result;
      });

  const user = program.command('user').description('list, add, enable and disable accounts');
  add(user, 'list', 'list all accounts', async () => ({ default: (await import('./users/commands.js')).list }));
  add(user, 'add <email>', 'add an account with a password', async () => ({
    default: (await import('./users/commands.js')).add,
  }))
    .option('--admin', 'make it an administrator')
    .option('--random', 'generate the password and print it');
  add(user, 'enable <user>', 'let a disabled account sign in again', async () => ({
    default: (await import('./users/commands.js')).enable,
  }));
  add(user, 'disable <user>', 'end the sessions of an account and suspend its API keys', async () => ({
    default: (await import('./users/commands.js')).disable,
  }));
  add(program, 'password <user>', 'set the password of an account and end its sessions', async () => ({
    default: (await import('./users/commands.js')).password,
  })).option('--random', 'generate the password and print it');

  add(
    program,
    'backup <path>',
    'write both databases to a new file, or to a file in a folder',
    () => import('./backup/backup.js'),
  ).option('--without-user-postgres', 'leave out the PostgreSQL databases of users');
  add(program, 'restore <file>', 'restore a backup into empty databases', () => import('./backup/restore.js')).option(
    '--overwrite',
    'delete what the databases contain first',
  );

  add(
    program,
    'rotate-secret',
    'encrypt everything with a new TRAWL_SECRET while the platform runs',
    () => import('./rotation/rotate-secret.js'),
  ).option('--prepare', 'generate the new secret');

  add(
    program,
    'doctor',
    'check settings, servers, schema, secret, clocks, disk and port',
    () => import('./doctor/doctor.js'),
  );

  return {
    parse: async args => {
      await program.parseAsync(args, { from: 'user' });
      return exitCode;
    },
  };
}
