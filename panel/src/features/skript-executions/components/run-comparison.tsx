import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import type { Execution } from '../../../api/entities.js';
import { JsonTree } from '../../../components/json-tree/json-tree.js';
import { Bounded } from '../../../components/scroll/bounded.js';
import { CopyId } from '../../../components/values/copy-id.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { TimeText, timeWords } from '../../../components/values/time-text.js';
import { comparedFacts, valuesDiffer } from '../run-differences.js';

interface RunComparisonProps {
  one: Execution;
  other: Execution;
  executionHref: (executionId: string) => string;
}

const SIDES = ['one', 'other'] as const;
type Runs = Record<(typeof SIDES)[number], Execution>;

const nameOf = (run: Execution): string => inReadingOrder(run.skript.name);

/** The fields of two runs. Those that are equal in both are hidden at first. */
function FactsTable({ runs, executionHref }: { runs: Runs; executionHref: RunComparisonProps['executionHref'] }) {
  const [isWhole, setWhole] = useState(false);
  const facts = comparedFacts(runs.one, runs.other);
  const equal = facts.filter(({ differs }) => !differs);
  const shown = isWhole ? facts : facts.filter(({ differs }) => differs);
  return (
    <section className="card" aria-label="Comparison">
      <table className="table compared-runs">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Field</span>
            </th>
            {SIDES.map(side => (
              <th key={side} scope="col">
                <Link className="link three-lines" to={executionHref(runs[side].id)} title={nameOf(runs[side])}>
                  {nameOf(runs[side])}
                </Link>
                <span className="cell-sub">
                  <TimeText iso={runs[side].created_at} zone />
                </span>
                <CopyId id={runs[side].id} short of={`the run of ${nameOf(runs[side])}`} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ name, differs, ...texts }) => (
            <tr key={name} data-differs={differs || undefined}>
              <th scope="row">
                {name}
                {differs && <span className="visually-hidden"> (differs)</span>}
              </th>
              {SIDES.map(side => (
                <td key={side}>{inReadingOrder(texts[side])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {equal.length > 0 && (
        <div className="list-foot">
          <span>{isWhole ? '' : equal.map(({ name }) => name).join(', ')}</span>
          <Button size="compact-sm" variant="subtle" aria-expanded={isWhole} onClick={() => setWhole(whole => !whole)}>
            {isWhole ? 'Hide' : 'Show'} {equal.length === 1 ? 'one equal row' : `${equal.length} equal rows`}
          </Button>
        </div>
      )}
    </section>
  );
}

interface ValuesProps {
  name: string;
  isSame: boolean;
  runs: Runs;
  render: (run: Execution) => ReactNode;
}

/** Values of one kind, such as outputs, of both runs: once if they are the same, otherwise side by side. */
function Values({ name, isSame, runs, render }: ValuesProps) {
  return (
    <section aria-label={name}>
      <h2 className="section-title">
        {name}
        <span className="cell-sub">{isSame ? 'the same in both' : 'differs'}</span>
      </h2>
      <div className="compared-values">
        {(isSame ? (['one'] as const) : SIDES).map(side => (
          <div key={side} className="card result">
            {!isSame && (
              <h3>
                {nameOf(runs[side])}, {timeWords(runs[side].created_at)}
              </h3>
            )}
            <Bounded label={`${name} of the ${side} run`}>{render(runs[side])}</Bounded>
          </div>
        ))}
      </div>
    </section>
  );
}

/** Two runs side by side: what they ran with, and what came of it. */
export function RunComparison({ one, other, executionHref }: RunComparisonProps) {
  const runs = { one, other };
  const values = [
    { name: 'Typed input', of: (run: Execution) => run.input_value ?? null },
    { name: 'Output', of: (run: Execution) => run.output ?? null },
  ].filter(({ of }) => of(one) !== null || of(other) !== null);
  return (
    <>
      <FactsTable runs={runs} executionHref={executionHref} />
      {values.map(({ name, of }) => (
        <Values
          key={name}
          name={name}
          isSame={!valuesDiffer(of(one), of(other))}
          runs={runs}
          render={run => <JsonTree value={of(run)} openDepth={2} />}
        />
      ))}
      {(one.error_stack || other.error_stack) && (
        <Values
          name="Error"
          isSame={one.error_stack === other.error_stack}
          runs={runs}
          render={({ error_stack: stack }) =>
            stack ? <pre className="stack">{inReadingOrder(stack)}</pre> : <p>No error.</p>
          }
        />
      )}
    </>
  );
}
