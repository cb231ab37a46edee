import { closedQuestion, type Echo } from '@trawl/contracts';

/** The questions of a run, and the `seq` of those that are closed. An answer may arrive before its question. */
export interface Questions {
  asked: readonly Echo[];
  closed: ReadonlySet<number>;
}

export const NO_QUESTIONS: Questions = { asked: [], closed: new Set() };

/** Adds the questions and answers among new echoes. Returns `questions` itself if there are none. */
export function addQuestions(questions: Questions, items: readonly Echo[]): Questions {
  const known = new Set(questions.asked.map(({ seq }) => seq));
  const asked = items.filter(({ type, seq }) => type === 'question' && !known.has(seq));
  const closed = items.flatMap(({ type, msg }) => (type === 'answer' ? (closedQuestion(msg) ?? []) : []));
  if (asked.length === 0 && closed.length === 0) return questions;
  return {
    asked: [...questions.asked, ...asked].sort((one, other) => one.seq - other.seq),
    closed: new Set([...questions.closed, ...closed]),
  };
}

/** Returns the questions that wait for an answer, the oldest first. */
export const openQuestions = ({ asked, closed }: Questions): Echo[] => asked.filter(({ seq }) => !closed.has(seq));
