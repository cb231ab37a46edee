import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type UIEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { ConsoleLine } from '../echo-buffer.js';
import { closedQuestions } from '../questions.js';
import { EchoLine } from './echo-line.js';

const LINE_PX = 25;
/** If the user scrolled to within this many pixels of the end, the console scrolls to new lines by itself. */
const END_PX = 40;

// Both regions scroll. With `tabIndex: 0`, keyboard users can focus and scroll them.
const LIVE_REGION = { role: 'log', 'aria-label': 'Echoes', tabIndex: 0 };
const SAVED_REGION = { role: 'region', 'aria-label': 'Lines of the saved echoes', tabIndex: 0 };

interface LineProps {
  line: ConsoleLine;
  executionId: string | undefined;
  closed: Set<number>;
}

function Line({ line, executionId, closed }: LineProps) {
  if (line.kind === 'echo') {
    return <EchoLine echo={line.echo} executionId={closed.has(line.echo.seq) ? undefined : executionId} />;
  }
  const count = line.to_seq - line.from_seq + 1;
  return (
    <div className="echo-gap">
      {count === 1
        ? `Echo ${line.from_seq} is`
        : `${count.toLocaleString()} echoes (${line.from_seq}–${line.to_seq}) are`}{' '}
      missing from this view. See the saved echoes.
    </div>
  );
}

interface EchoConsoleProps {
  lines: ConsoleLine[];
  /** The live run, whose open questions get a form for the answer. */
  executionId?: string;
  /** True for a live run: new lines are announced, and the console scrolls to them unless the user has scrolled up. */
  follow: boolean;
  /** True to show the last lines at first. */
  startAtEnd?: boolean;
  emptyText: string;
}

/** Virtualized list of echoes. */
export function EchoConsole({ lines, executionId, follow, startAtEnd = false, emptyText }: EchoConsoleProps) {
  const frameRef = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(follow);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frameRef.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
    getItemKey: index => {
      const line = lines[index];
      return line?.kind === 'echo' ? line.echo.seq : `gap-${line?.from_seq}`;
    },
  });

  const closed = useMemo(
    () => closedQuestions(lines.flatMap(line => (line.kind === 'echo' ? [line.echo] : []))),
    [lines],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: new `lines` move the end.
  useEffect(() => {
    if (isAtEnd && follow && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [lines, isAtEnd, follow]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the lines appear.
  useEffect(() => {
    if (startAtEnd && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, []);

  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent<HTMLDivElement>) =>
    setAtEnd(scrollHeight - scrollTop - clientHeight < END_PX);

  return (
    <div className="console">
      <div className="console-lines" ref={frameRef} onScroll={onScroll} {...(follow ? LIVE_REGION : SAVED_REGION)}>
        {lines.length === 0 && <p className="console-empty">{emptyText}</p>}
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map(item => {
            const line = lines[item.index];
            return (
              line && (
                <div
                  key={item.key}
                  data-index={item.index}
                  ref={virtualizer.measureElement}
                  className="console-row"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <Line line={line} executionId={executionId} closed={closed} />
                </div>
              )
            );
          })}
        </div>
      </div>
      {follow && !isAtEnd && lines.length > 0 && (
        <Button
          className="console-jump"
          size="xs"
          leftSection={<IconArrowDown size={14} aria-hidden />}
          onClick={() => setAtEnd(true)}
        >
          Newest
        </Button>
      )}
    </div>
  );
}
