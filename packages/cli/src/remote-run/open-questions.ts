import { type Echo, isEnded, type Run, type Trawl, unwrap } from '@trawl/client';
import { closedQuestion, parseQuestion, type Question } from '@trawl/contracts';

const PAGE = 1_000;

export interface OpenQuestion extends Question {
  /** Number of the question's echo. */
  seq: number;
}

/** Returns the questions that a run waits for, the oldest first. */
export async function openQuestions(trawl: Trawl, run: Run): Promise<OpenQuestion[]> {
  const execution = await run.execution();
  if (isEnded(execution)) return [];
  // Answers are read last, so that a question never seems open because its answer came between the two reads.
  const questions = await echoesOf(trawl, execution.id, 'question');
  const closed = new Set((await echoesOf(trawl, execution.id, 'answer')).map(({ msg }) => closedQuestion(msg)));
  return questions.filter(({ seq }) => !closed.has(seq)).map(({ seq, msg }) => ({ seq, ...parseQuestion(msg) }));
}

async function echoesOf(trawl: Trawl, execution_id: string, type: Echo['type']): Promise<Echo[]> {
  const echoes: Echo[] = [];
  let after_seq = 0;
  for (;;) {
    const params = { path: { execution_id }, query: { type, limit: PAGE, after_seq } };
    const page = await unwrap(trawl.api.GET('/joint-api/echoes/{execution_id}/list', { params }));
    echoes.push(...page.items);
    if (page.next_after_seq === null) return echoes;
    after_seq = page.next_after_seq;
  }
}
