/** Words that begin a command, with the longest first: the rest of the text says on which thing. */
const VERBS = ['new schedule', 'restart', 'resume', 'export', 'pause', 'stop', 'run'] as const;
export type Verb = (typeof VERBS)[number];

/** Splits a text such as `run books` into the verb and the name. The verb is null if the text is only a name. */
export function commandIn(text: string): { verb: Verb | null; name: string } {
  const lower = text.toLowerCase();
  const verb = VERBS.find(word => lower.startsWith(`${word} `)) ?? null;
  return { verb, name: (verb === null ? text : text.slice(verb.length)).trim() };
}
