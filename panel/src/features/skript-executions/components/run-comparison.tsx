import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText } from '../../../components/values/time-text.js';
import { comparedFacts, valuesDiffer } from '../run-differences.js';

interface RunComparisonProps {
  one: Execution;
  other: Execution;
  executionHref: (executionId: string) => string;
}

const SIDES = ['one', 'other'] as const;

/** Two runs side by side: what they ran with, and what came of it. Lines that differ are marked. */
export function RunComparison({ one, other, executionHref }: RunComparisonProps) {
  const runs = { one, other };
  const facts = comparedFacts(one, other);
  const values = [
    { name: 'Typed input', of: (run: Execution) => run.input_value ?? null },
    { name: 'Output', of: (run: Execution) => run.output ?? null },
  ].filter(({ of }) => of(one) !== null || of(other) !== null);
  return (
    <>
      <section className="card" aria-label="Comparison">
        <div className="table-frame">
          <table className="table compared-runs">
            <thead>
              <tr>
                <th scope="col">
                  <span className="visually-hidden">Field</span>
                </th>
                {SIDES.map(side => (
                  <th key={side} scope="col">
                    <Link className="link" to={executionHref(runs[side].id)}>
                      <TimeText iso={runs[side].created_at} zone />
                    </Link>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {facts.map(({ name, differs, ...texts }) => (
                <tr key={name} data-differs={differs || undefined}>
                  <th scope="row">
                    {name}
                    {differs && <span className="visually-hidden"> (differs)</span>}
                  </th>
                  {SIDES.map(side => (
                    <td key={side}>{texts[side]}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {values.map(({ name, of }) => (
        <section key={name} aria-label={name}>
          <h2 className="section-title">
            {name}
            <span className="cell-sub">{valuesDiffer(of(one), of(other)) ? 'differs' : 'the same in both'}</span>
          </h2>
          <div className="compared-values">
            {SIDES.map(side => (
              <div key={side} className="card result">
                <JsonTree value={of(runs[side])} openDepth={2} />
              </div>
            ))}
          </div>
        </section>
      ))}
      {(one.error_stack || other.error_stack) && (
        <section aria-label="Errors">
          <h2 className="section-title">Errors</h2>
          <div className="compared-values">
            {SIDES.map(side => (
              <div key={side} className="card result">
                {runs[side].error_stack ? (
                  <pre className="stack">{inReadingOrder(runs[side].error_stack ?? '')}</pre>
                ) : (
                  <p>No error.</p>
                )}
              </div>
            ))}
          </div>
        </section>
      )}
    </>
  );
}
