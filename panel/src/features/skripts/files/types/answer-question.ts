import { type CodeQuestions, NO_LIBRARIES } from '@trawl/type-check';
import type { Question, Reply } from './protocol.js';

/** Answers a question to the worker. */
export async function answerQuestion(service: CodeQuestions, { id, method, args }: Question): Promise<Reply> {
  const ask = service[method].bind(service) as (...given: unknown[]) => unknown;
  try {
    return { id, value: await ask(...args) };
  } catch {
    // The types of a library may be too deep for TypeScript. Without them, it still knows the rest.
    service.setLibraries({ ...NO_LIBRARIES, key: 'unreadable' });
  }
  try {
    return { id, value: await ask(...args) };
  } catch (error) {
    return { id, error: String(error) };
  }
}
