import { Group, TextInput } from '@mantine/core';
import { LIMITS, parseQuestion } from '@trawl/contracts';
import { type FormEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { MessageText } from '../../../components/feedback/message-text.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useAnswerQuestion } from '../api/answer-question.js';

/** Focuses the question after `answer`, or the lines of the console if it is the last. */
function focusAfter(answer: Element): void {
  const questions = answer.closest('.open-questions');
  const answers = [...(questions?.querySelectorAll('.echo-answer') ?? [])];
  const next = answers[answers.indexOf(answer) + 1]?.querySelector<HTMLElement>('input, button');
  (next ?? questions?.parentElement?.querySelector<HTMLElement>('[role="log"]'))?.focus();
}

/** The fields of an answer. When React removes them, keyboard users continue at the next question. */
function AnswerFields({ children }: { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  // The cleanup of a layout effect runs while the fields are still in the document.
  useLayoutEffect(() => {
    const fields = ref.current;
    return () => {
      if (fields?.contains(document.activeElement)) focusAfter(fields);
    };
  }, []);
  return (
    <div className="echo-answer" ref={ref}>
      {children}
    </div>
  );
}

interface EchoQuestionProps {
  executionId: string;
  seq: number;
  msg: string;
  /** False if the run no longer waits for an answer. */
  isOpen: boolean;
  /** The text that the user typed as an answer. */
  typed: string;
  onType: (text: string) => void;
}

/** A question of a live run, with a form for the answer. A closed question shows the text that was not used. */
export function EchoQuestion({ executionId, seq, msg, isOpen, typed, onType }: EchoQuestionProps) {
  const { text: asked, choices } = parseQuestion(msg);
  const text = inReadingOrder(asked);
  const answer = useAnswerQuestion(executionId, seq);
  // The run may close the question before the response to this user's own answer arrives.
  const isLate = !isOpen && !answer.isPending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isLate) onType('');
    else answer.mutate(typed, { onSuccess: () => onType('') });
  };
  return (
    <div className="echo-question">
      <span>{text}</span>
      {answer.isSuccess ? (
        <span className="echo-note" role="status">
          {answer.data.delivered ? 'Answered.' : 'The answer waits for the worker.'}
        </span>
      ) : (
        <AnswerFields>
          {choices.length > 0 ? (
            <Group component="fieldset" aria-label={text} gap="xs">
              {choices.map(choice => (
                <FocusableButton
                  key={choice}
                  size="compact-sm"
                  variant="default"
                  disabled={answer.isPending}
                  onClick={() => answer.mutate(choice)}
                >
                  {inReadingOrder(choice)}
                </FocusableButton>
              ))}
            </Group>
          ) : (
            <form onSubmit={submit}>
              <TextInput
                size="xs"
                aria-label={text}
                autoComplete="off"
                maxLength={LIMITS.answerChars}
                readOnly={isLate}
                value={typed}
                onChange={({ currentTarget }) => onType(currentTarget.value)}
              />
              <FocusableButton
                type="submit"
                size="xs"
                variant={isLate ? 'default' : 'filled'}
                loading={answer.isPending}
              >
                {isLate ? 'Dismiss' : 'Answer'}
              </FocusableButton>
            </form>
          )}
        </AnswerFields>
      )}
      {isLate && !answer.isSuccess && (
        <span className="echo-note" role="status">
          This question was answered elsewhere, or the run stopped waiting. Your text was not used.
        </span>
      )}
      {answer.isError && (
        <span className="echo-problem" role="alert">
          <MessageText of={answer.error} />
        </span>
      )}
    </div>
  );
}
