/** The result of a check. `bad` needs mending, and makes the exit code 1. */
export interface Finding {
  state: 'ok' | 'note' | 'bad';
  /** A sentence: what is so, and for `note` and `bad` what to do. */
  text: string;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const info = (text: string): Finding => ({ state: 'note', text });
export const bad = (text: string): Finding => ({ state: 'bad', text });
