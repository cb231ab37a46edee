import { useLocalStorage, useSplitter } from '@mantine/hooks';
import { type ReactNode, type Ref, useMemo } from 'react';

/** Shares of the height, in percent. */
const SHARES = [58, 42];
const LEAST = 15;

interface BenchProps {
  code: ReactNode;
  /** The run below the code, if there is one. */
  run: ReactNode;
  runRef: Ref<HTMLDivElement>;
}

/** The code of a skript and its run below. The line between them can be moved by pointer and by keyboard. */
export function Bench({ code, run, runRef }: BenchProps) {
  const [shares, setShares] = useLocalStorage({ key: 'trawl-bench', defaultValue: SHARES });
  const panels = useMemo(() => SHARES.map(defaultSize => ({ defaultSize, min: LEAST, max: 100 - LEAST })), []);
  const splitter = useSplitter({
    orientation: 'vertical',
    panels,
    sizes: shares,
    onSizeChange: sizes => setShares(sizes.map(Number)),
    step: 4,
  });
  const [codeShare, runShare] = splitter.sizes.map(size => ({ flexGrow: Number(size) }));
  return (
    <div className="card clip-corners workbench" data-with-run={run ? true : undefined} ref={splitter.ref}>
      <div className="bench-pane" style={run ? codeShare : undefined}>
        {code}
      </div>
      {run && (
        <>
          <hr {...splitter.getHandleProps({ index: 0 })} className="bench-divider" aria-label="Height of the code" />
          <div className="bench-pane docked" style={runShare} ref={runRef}>
            {run}
          </div>
        </>
      )}
    </div>
  );
}
