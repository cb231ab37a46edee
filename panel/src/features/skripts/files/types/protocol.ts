import type { CodeQuestions } from '@trawl/type-check';

/** A message to the worker that answers the questions. */
export interface Question {
  id: number;
  method: keyof CodeQuestions;
  args: unknown[];
}

/** The worker's reply to the question with the same id. */
export type Reply = { id: number; value: unknown } | { id: number; error: string };
