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

type OpenProblem = (problem: BundleProblem) => void;

/**
 * Lists problems with file and line.
 *
 * @param onOpen opens the file at the place of the problem. Missing outside the editor.
 */
function Problems({ problems, onOpen }: { problems: readonly BundleProblem[]; onOpen: OpenProblem | undefined }) {
  return (
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
  );
}

interface BundleProblemsProps {
  error: unknown;
  onOpen?: OpenProblem;
}

/** Lists the problems of a failed bundle. */
export function BundleProblems({ error, onOpen }: BundleProblemsProps) {
  const problems = problemsOf(error);
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      mb="sm"
      title={problems.length > 0 ? 'The skript could not be bundled' : <MessageText of={error} />}
    >
      {problems.length > 0 && <Problems problems={problems} onOpen={onOpen} />}
    </Alert>
  );
}

const MOST_TYPE_ERRORS = 20;

/** Lists the type errors of a skript whose bundle succeeded. */
export function TypeErrors({ problems, onOpen }: { problems: readonly BundleProblem[]; onOpen: OpenProblem }) {
  const { length } = problems;
  return (
    <Alert
      role="status"
      color="yellow"
      variant="light"
      mb="sm"
      title={`Bundled, with ${length === 1 ? 'a type error' : `${length} type errors`}`}
    >
      <Problems problems={problems.slice(0, MOST_TYPE_ERRORS)} onOpen={onOpen} />
      {length > MOST_TYPE_ERRORS && <p>These are the first {MOST_TYPE_ERRORS}.</p>}
    </Alert>
  );
}
