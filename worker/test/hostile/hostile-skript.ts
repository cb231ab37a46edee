import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finish } from '@trawl/contracts';

/** A file of the corpus: what it tries and what must happen is said in its first lines. */
export interface HostileSkript {
  /** Within this folder. */
  path: string;
  code: string;
  /** `// ends: end <output>`, `// ends: <error code>`, `// ends: stop`; several with ` | ` where any of them will do. */
  ends: string[];
  /** `// says: /…/`: what the error's text is like. */
  says: RegExp | null;
  /** `// echoes: /…/`: what is among the first echoes. */
  echoes: RegExp | null;
  /** `// stop: <echo>`: it is stopped as soon as it has said this. */
  stop: string | null;
  /** `// time: <ms>`: its time limit. */
  timeMs: number;
}

/** Longer than anything else that is to end a run takes, also on a machine under load. */
const TIME_MS = 60_000;

export function hostileSkripts(folder: string): HostileSkript[] {
  const names = readdirSync(join(__dirname, folder)).filter(name => name.endsWith('.js'));
  return names.map(name => {
    const code = readFileSync(join(__dirname, folder, name), 'utf8');
    const header = code.slice(0, code.search(/^(?!\/\/)/m));
    const said = (word: string) => header.match(new RegExp(`^// ${word}: (.+)$`, 'm'))?.[1] ?? null;
    const pattern = (text: string | null) => (text === null ? null : new RegExp(text.slice(1, -1)));
    const ends = said('ends');
    if (ends === null) throw new Error(`${folder}/${name} does not say in its first lines how it ends.`);
    return {
      path: `${folder}/${name}`,
      code,
      ends: ends.split(' | '),
      says: pattern(said('says')),
      echoes: pattern(said('echoes')),
      stop: said('stop'),
      timeMs: Number(said('time') ?? TIME_MS),
    };
  });
}

/** In the words of a header's `ends`. */
export function endOf({ action, output, error_code }: Finish): string {
  if (action === 'error') return String(error_code);
  return action === 'end' ? `end ${output}` : action;
}
