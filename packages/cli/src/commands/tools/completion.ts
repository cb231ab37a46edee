import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';

/** The scripts ask `trawl __complete` for each completion. Without an answer, they complete names of files. */
export const SHELLS: Record<string, string> = {
  bash: `_trawl() {
  COMPREPLY=()
  local name
  while IFS= read -r name; do COMPREPLY+=("$(printf '%q' "$name")"); done \\
    < <(trawl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -o default -F _trawl trawl
`,
  zsh: `#compdef trawl
_trawl() {
  local -a names
  names=("\${(@f)$(trawl __complete -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ -n "$names" ]]; then compadd -a names; else _files; fi
}
if [[ $funcstack[1] = _trawl ]]; then _trawl; else compdef _trawl trawl; fi
`,
  fish: `function __trawl_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l names (trawl __complete -- $words[2..-1] 2> /dev/null)
  if test (count $names) -gt 0
    printf '%s\\n' $names
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c trawl -f -a '(__trawl_complete)'
`,
};

/** Prints a script that completes commands, options and names in a shell. */
export default async function completion(shell: string, _options: object, { output }: Context): Promise<void> {
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined)
    throw new Failure(`The shell must be ${Object.keys(SHELLS).join(', ')}; you gave ${shell}.`, EXIT.usage);
  if (output.isJson) output.result(script);
  else output.stdout.write(script);
}
