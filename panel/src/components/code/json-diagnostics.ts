import type { Diagnostic } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { jsonProblem } from './json-problems.js';

/** Returns the first problem of the editor's JSON text. */
export function jsonDiagnostics(view: EditorView): Diagnostic[] {
  const problem = jsonProblem(view.state.doc.toString());
  return problem ? [{ from: problem.from, to: problem.to, severity: 'error', message: problem.message }] : [];
}
