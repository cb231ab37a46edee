import { Alert } from '@mantine/core';
import type { BundleProblem } from '@trawl/contracts';
import { ApiError } from '../../api/api-error.js';
import { MessageText } from './message-text.js';

const isProblem = (value: unknown): value is BundleProblem =>
  typeof value === 'object' && value !== null && typeof (value as BundleProblem).message === 'string';

/** Returns the problems that a `bundle_failed` error lists, or an empty array for any other error. */
export const problemsOf = (error: unknown): BundleProblem[] =>
  error instanceof ApiError && error.code === 'bundle_failed' && Array.isArray(error.details)
    ? error.details.filter(isProblem)
    : [];

/** Formats the place of a problem as `file:line:column`, such as `main.js:3:14`. Unknown parts are omitted. */
const placeOf = ({ file, line, column }: BundleProblem): string =>
  [file, line, column].filter(part => part !== null && part !== undefined).join(':');

interface BundleProblemsProps {
  error: unknown;
  /** Opens the file at the place of the problem. Missing outside the editor. */
  onOpen?: (problem: BundleProblem) => void;
}

/** Lists the problems of a failed bundle with file and line. */
export function BundleProblems({ error, onOpen }: BundleProblemsProps) {
  const problems = problemsOf(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={problems.length > 0 ? 'The skript could not be bundled' : <MessageText of={error} />}
    >
      {problems.length > 0 && (
        <ul className="problems">
          {problems.map(problem => (
            <li key={`${placeOf(problem)} ${problem.message}`}>
              {problem.file &&
                (onOpen ? (
                  <button type="button" className="problem-place" onClick={() => onOpen(problem)}>
                    {placeOf(problem)}
                  </button>
                ) : (
                  <span className="mono">{placeOf(problem)}</span>
                ))}{' '}
              <MessageText of={problem.message} />
              {problem.line_text && <pre className="problem-line">{problem.line_text.trim()}</pre>}
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}
