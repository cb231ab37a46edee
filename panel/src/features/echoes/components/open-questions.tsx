import { useState } from 'react';
import { openQuestions, type Questions } from '../questions.js';
import { EchoQuestion } from './echo-question.js';

interface OpenQuestionsProps {
  executionId: string;
  questions: Questions;
  isLive: boolean;
}

/** The open questions of a run, and closed ones with a typed answer until the user dismisses them. */
export function OpenQuestions({ executionId, questions, isLive }: OpenQuestionsProps) {
  const [typed, setTyped] = useState<ReadonlyMap<number, string>>(new Map());
  const open = isLive ? openQuestions(questions) : [];
  const shown = questions.asked.filter(question => open.includes(question) || typed.get(question.seq));
  if (shown.length === 0) return null;
  return (
    <section className="open-questions" aria-label="Open questions">
      {shown.map(question => (
        <EchoQuestion
          key={question.seq}
          executionId={executionId}
          seq={question.seq}
          msg={question.msg}
          isOpen={open.includes(question)}
          typed={typed.get(question.seq) ?? ''}
          onType={text => setTyped(known => new Map(known).set(question.seq, text))}
        />
      ))}
    </section>
  );
}
