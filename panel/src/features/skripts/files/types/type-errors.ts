import type { BundleProblem } from '@trawl/contracts';
import type { CodeFile } from '@trawl/type-check';
import { MAX_CHARS } from './max-chars.js';

/** Returns the type errors of a skript with these files; none if the worker of the code editor cannot be loaded. */
export async function typeErrorsIn(files: readonly CodeFile[]): Promise<BundleProblem[]> {
  try {
    const { codeQuestions } = await import('./code-client.js');
    const problems = await codeQuestions().allProblems(files.filter(({ content }) => content.length <= MAX_CHARS));
    return problems.map(problem => ({ ...problem, line_text: null }));
  } catch {
    return [];
  }
}
