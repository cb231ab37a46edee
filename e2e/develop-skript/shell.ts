import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

const END = '--- end of the commands ---';

/** A bash that keeps its variables and its folder between commands, as a person's terminal does. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams;

  constructor(folder: string, env: Record<string, string>) {
    this.#bash = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env });
    this.#bash.stdout.setEncoding('utf8');
    this.#bash.stdin.write('exec 2>&1\n');
  }

  /** Runs commands. Returns what they write to stdout and stderr, in that order, and whether the last one succeeded. */
  async run(commands: string): Promise<{ printed: string; succeeded: boolean }> {
    this.#bash.stdin.write(`{\n${commands}\n} < /dev/null\necho "${END} $?"\n`);
    let printed = '';
    for await (const chunk of this.#bash.stdout.iterator({ destroyOnReturn: false })) {
      printed += chunk;
      const [before, status] = printed.split(`${END} `);
      if (status?.endsWith('\n')) return { printed: before ?? '', succeeded: status === '0\n' };
    }
    throw new Error(`The shell ended. Commands:\n${commands}\nOutput:\n${printed}`);
  }

  close(): void {
    this.#bash.kill();
  }
}
