import type { BundleProblem } from '@trawl/contracts';
import type { ReadFiles } from '../use-read-files.js';

/** Returns the type errors of a skript with these files; none if the worker of the code editor cannot be loaded. */
export async function typeErrorsIn({ files, unread, libraries }: ReadFiles): Promise<BundleProblem[]> {
  try {
    const { codeQuestions } = await import('./code-client.js');
    const questions = codeQuestions();
    questions.setLibraries(await libraries);
    const problems = await questions.allProblems(files, unread);
    return problems.map(problem => ({ ...problem, line_text: null }));
  } catch {
    return [];
  }
}
