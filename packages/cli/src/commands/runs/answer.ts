import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { findRun } from '../../remote-run/find-run.js';
import { type OpenQuestion, openQuestions } from '../../remote-run/open-questions.js';
import { connect } from '../../session/connect.js';
import { askAnswer } from '../../terminal/ask.js';
import { cleanLine } from '../../terminal/clean.js';

export interface AnswerOptions {
  /** Number of the question's echo. */
  seq?: string;
  text?: string;
  dryRun?: boolean;
}

/** Answers a question of a run: the one with `--seq`, or else its oldest open one. */
export default async function answer(
  named: string | undefined,
  { seq, text, dryRun }: AnswerOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  if (seq !== undefined && !/^[1-9]\d{0,8}$/.test(seq)) {
    throw new Failure(`--seq must be the number of an echo; you gave ${JSON.stringify(seq)}.`, EXIT.usage);
  }
  const trawl = await connect(context);
  const run = trawl.runById(await findRun(trawl, named));
  const open = await openQuestions(trawl, run);
  const question = chosen(open, seq, await run.id());
  for (const other of open) output.note(`${other === question ? '>' : ' '} ${lineOf(other)}`);
  if (dryRun) {
    return output.planned(
      `answer question ${question.seq} of the run ${await run.id()}${text === undefined ? '' : ` with ${text}`}`,
    );
  }
  const instead = `Answer with: trawl answer ${await run.id()} --seq ${question.seq} --text <answer>`;
  const isDelivered = await run.answer(question.seq, text ?? (await askAnswer(question, instead)) ?? '');
  const done = isDelivered ? 'Answered' : 'The worker is not connected now. Trawl delivers the answer to';
  output.result({ seq: question.seq, delivered: isDelivered }, `${done} question ${question.seq}`);
}

function chosen(open: OpenQuestion[], seq: string | undefined, id: string): OpenQuestion {
  const found = seq === undefined ? open[0] : open.find(question => question.seq === Number(seq));
  if (found) return found;
  const what = seq === undefined ? 'no open question' : `no open question ${seq}`;
  throw new Failure(`The run ${id} has ${what}. See its echoes with: trawl logs ${id}`, EXIT.notFound);
}

const lineOf = ({ seq, text, choices }: OpenQuestion): string =>
  `${seq}  ${cleanLine(text)}${choices.length > 0 ? ` (${choices.join(', ')})` : ''}`;
