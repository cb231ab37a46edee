import { closedQuestion, type Echo } from '@trawl/contracts';

/** Returns the `seq` of each question that an `answer` echo closes. */
export function closedQuestions(echoes: Iterable<Echo>): Set<number> {
  const closed = new Set<number>();
  for (const { type, msg } of echoes) {
    const seq = type === 'answer' ? closedQuestion(msg) : undefined;
    if (seq !== undefined) closed.add(seq);
  }
  return closed;
}
