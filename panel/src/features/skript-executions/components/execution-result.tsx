import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';

/** The output of a run, or its error with the file and line in the skript. */
export function ExecutionResult({ execution }: { execution: Execution }) {
  if (execution.error_stack) {
    return (
      <section className="card result" aria-label="Error">
        <h2>Error</h2>
        <pre className="stack">{execution.error_stack}</pre>
      </section>
    );
  }
  return (
    <section className="card result" aria-label="Output">
      <h2>Output</h2>
      {execution.action === 'end' ? (
        <JsonTree value={execution.output ?? null} openDepth={2} />
      ) : (
        <p>
          {isLive(execution.action) ? 'The output appears when the run ends.' : 'This run ended without an output.'}
        </p>
      )}
    </section>
  );
}
