import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finish } from '@trawl/contracts';

/**
 * One of the hostile skripts that the tests execute. The first lines of its file describe the attack and what must
 * happen.
 */
export interface HostileSkript {
  /** Relative to this folder. */
  path: string;
  code: string;
  /**
   * How the run may end, from the line `// ends: end <output>`, `// ends: <error code>` or `// ends: stop`. Several
   * possible ends are separated by ` | `.
   */
  ends: string[];
  /** Pattern that the error's text must match, from the line `// says: /…/`. */
  says: RegExp | null;
  /** Pattern that the first echoes must match, from the line `// echoes: /…/`. */
  echoes: RegExp | null;
  /** The test stops the run after this echo, from the line `// stop: <echo>`. */
  stop: string | null;
  /** Time limit of the run in milliseconds, from the line `// time: <ms>`. */
  timeMs: number;
}

/** Default time limit. It is longer than a run needs to end in the expected way, even on a busy machine. */
const TIME_MS = 60_000;

/** Maximum time limit of an attack that lasts until its time limit. */
const MAX_ATTACK_MS = isFullTest ? 4_000 : 1_500;

export function hostileSkripts(folder: string): HostileSkript[] {
  const names = readdirSync(join(__dirname, folder)).filter(name => name.endsWith('.js'));
  return names.map(name => {
    const code = readFileSync(join(__dirname, folder, name), 'utf8');
    const header = code.slice(0, code.search(/^(?!\/\/)/m));
    const said = (word: string) => header.match(new RegExp(`^// ${word}: (.+)$`, 'm'))?.[1] ?? null;
    const pattern = (text: string | null) => (text === null ? null : new RegExp(text.slice(1, -1)));
    const ends = said('ends');
    if (ends === null) throw new Error(`${folder}/${name} needs a header line "// ends: …".`);
    return {
      path: `${folder}/${name}`,
      code,
      ends: ends.split(' | '),
      says: pattern(said('says')),
      echoes: pattern(said('echoes')),
      stop: said('stop'),
      timeMs: Math.min(Number(said('time') ?? TIME_MS), ends.includes('time_limit') ? MAX_ATTACK_MS : TIME_MS),
    };
  });
}

/** Returns how a run ended, in the same format as `ends` in the first lines of a skript's file. */
export function endOf({ action, output, error_code }: Finish): string {
  if (action === 'error') return String(error_code);
  return action === 'end' ? `end ${output}` : action;
}
