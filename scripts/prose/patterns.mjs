// @ts-check

/**
 * Phrases that are hard to read, each with advice on what to write instead. `docs/english.md` has the rules behind
 * them.
 */
/** @type {[pattern: RegExp, advice: string][]} */
export const PATTERNS = [
  [/^(?:Of|What|Who|Whose|Whoever) [a-z][^?]*$/, 'start with the actor: who does what'],
  [/^(?:Nobody|None|Nothing) [a-z]/, 'say what is, not what is not'],
  [/\b(?:go|goes|going|gone|went) on\b(?! to\b)/, '"continues", "keeps running" or "is in progress"'],
  [/\b(?:stand|stands|standing|stood) still\b/, '"is frozen", "is blocked" or "hangs"'],
  [/\b(?:is|are|was|were) had\b/, 'name who has it'],
  [/\bbut for\b(?! (?:a|an|each|every|the|all|now|example)\b)/, '"except"'],
  [/\bwhoever\b/i, '"anyone who", or name the actor'],
  [/\bnobody(?:'s|’s)?\b/i, 'say who can, or write "no user", "no caller"'],
  [/\bis no matter of\b|\bno business of\b|\bnobody's business\b/, 'say who must not see it, and why'],
  [/\bis tried again by itself\b|\bare tried again by themselves\b/, '"retries automatically"'],
  [/\bis told (?:so|of)\b|\bare told (?:so|of)\b/, '"is notified", "gets an error", "hears of"'],
  [/\bis asked for\b|\bare asked for\b/, '"is requested"'],
  [/\bunder way\b/, '"in progress" or "running"'],
  [/\bas much of it as\b/, '"quota" or "limit"'],
  [/\bno more than that\b|\bno less than that\b/, 'give the limit: "at most N"'],
  [/\b(?:is|are) none of\b/, '"is not", or say whose it is'],
  [/\bone's own\b/, '"your own" or name the owner'],
  [/\bof its own accord\b|\bby itself is\b/, '"automatically"'],
  [/\bin its turn\b|\bhas its turn\b/, '"waits in the queue" or "is scheduled"'],
  [/\bmay be had\b|\bto be had\b/, '"is available"'],
  [/\bso that it is not\b.*\bnot\b/, 'two negations: say the positive'],
  [/\b(?:leverage|seamless|utilize|in order to)\b/i, 'the plain word: "use", "smooth", "to"'],
];
