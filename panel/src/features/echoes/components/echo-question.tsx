import { Button, Group, TextInput } from '@mantine/core';
import { LIMITS, parseQuestion } from '@trawl/contracts';
import { type FormEvent, useState } from 'react';
import { messageOf } from '../../../api/api-error.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useAnswerQuestion } from '../api/answer-question.js';

interface EchoQuestionProps {
  executionId: string;
  seq: number;
  msg: string;
}

/** An open question of a live run, with a form for the answer. */
export function EchoQuestion({ executionId, seq, msg }: EchoQuestionProps) {
  const { text: asked, choices } = parseQuestion(msg);
  const text = inReadingOrder(asked);
  const [typed, setTyped] = useState('');
  const answer = useAnswerQuestion(executionId, seq);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    answer.mutate(typed);
  };
  return (
    <div className="echo-question">
      <span>{text}</span>
      {answer.isSuccess ? (
        <span className="echo-note" role="status">
          {answer.data.delivered ? 'Answered.' : 'The answer waits for the worker.'}
        </span>
      ) : choices.length > 0 ? (
        <Group component="fieldset" aria-label={text} gap="xs">
          {choices.map(choice => (
            <Button
              key={choice}
              size="compact-sm"
              variant="default"
              disabled={answer.isPending}
              onClick={() => answer.mutate(choice)}
            >
              {inReadingOrder(choice)}
            </Button>
          ))}
        </Group>
      ) : (
        <form onSubmit={submit}>
          <TextInput
            size="xs"
            aria-label={text}
            autoComplete="off"
            maxLength={LIMITS.answerChars}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <FocusableButton type="submit" size="xs" loading={answer.isPending}>
            Answer
          </FocusableButton>
        </form>
      )}
      {answer.isError && (
        <span className="echo-problem" role="alert">
          {messageOf(answer.error)}
        </span>
      )}
    </div>
  );
}
