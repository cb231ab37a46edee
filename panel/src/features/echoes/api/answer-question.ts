import { useMutation } from '@tanstack/react-query';
import { api, unwrap } from '../../../api/client.js';

/** Answers the question that a live run sent as echo `seq`. */
export const useAnswerQuestion = (executionId: string, seq: number) =>
  useMutation({
    mutationFn: (answer: string) =>
      unwrap(
        api.POST('/joint-api/skript-execution/{skriptExecution_id}/answers', {
          params: { path: { skriptExecution_id: executionId } },
          body: { seq, answer },
        }),
      ),
  });
