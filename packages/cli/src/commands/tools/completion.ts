import type { Command } from 'commander';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';

const SCRIPTS: Record<string, (words: Words) => string> = { bash, zsh, fish };

interface Words {
  /** Names and aliases of the commands. */
  commands: string[];
  /** Options and subcommands by command. */
  after: Record<string, string[]>;
}

/** Prints a script that completes commands and options in a shell. */
export default async function completion(shell: string, program: Command, { output }: Context): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell]?.(wordsOf(program)) : undefined;
  if (script === undefined)
    throw new Failure(`The shell must be ${Object.keys(SCRIPTS).join(', ')}; you gave ${shell}.`, EXIT.usage);
  if (output.isJson) output.result(script);
  else output.stdout.write(script);
}

function wordsOf(program: Command): Words {
  const after: Words['after'] = {};
  for (const command of program.commands) {
    const options = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
    const words = [...command.commands.map(inner => inner.name()), ...options, '--help'];
    for (const name of [command.name(), ...command.aliases()]) after[name] = words;
  }
  return { commands: Object.keys(after), after };
}

function bash({ commands, after }: Words): string {
  const cases = Object.entries(after).map(([name, words]) => `    ${name}) words="${words.join(' ')}" ;;`);
  return `_trawl() {
  local words="${commands.join(' ')} --help --version"
  if [ "$COMP_CWORD" -gt 1 ]; then case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _trawl trawl
`;
}

function zsh(words: Words): string {
  return `#compdef trawl\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;
}

function fish({ commands, after }: Words): string {
  const lines = [`complete -c trawl -n __fish_use_subcommand -a "${commands.join(' ')}"`];
  for (const [name, words] of Object.entries(after)) {
    lines.push(`complete -c trawl -n "__fish_seen_subcommand_from ${name}" -a "${words.join(' ')}"`);
  }
  return `${lines.join('\n')}\n`;
}
