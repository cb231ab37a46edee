import { isLive } from '@trawl/contracts';
import type { Execution } from '../../../api/entities.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { Bounded } from '../../../components/scroll/bounded.js';

/** The value that main.js returned, or why there is none. */
export function RunOutput({ execution }: { execution: Execution }) {
  // A live update says that the run has ended, but does not have its output.
  const isLoading = !isLive(execution.action) && execution.ended_at === null;
  return (
    <section className="card result" aria-label="Output">
      <h2>Output</h2>
      {isLoading ? (
        <p>Loading the output…</p>
      ) : execution.action === 'end' ? (
        <Bounded label="Value of the output">
          <JsonTree value={execution.output ?? null} openDepth={2} />
        </Bounded>
      ) : (
        <p>
          {isLive(execution.action) ? 'The output appears when the run ends.' : 'This run ended without an output.'}
        </p>
      )}
    </section>
  );
}
