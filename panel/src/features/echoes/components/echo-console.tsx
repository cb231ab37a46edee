import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type UIEvent, useEffect, useRef, useState } from 'react';
import type { ConsoleLine } from '../echo-buffer.js';
import { EchoLine } from './echo-line.js';

const LINE_PX = 25;
/** This near to the end counts as being there. */
const END_PX = 40;

// Both can be reached by keyboard, since they scroll.
const LIVE_REGION = { role: 'log', 'aria-label': 'Echoes', tabIndex: 0 };
const SAVED_REGION = { role: 'region', 'aria-label': 'Lines of the saved echoes', tabIndex: 0 };

function Line({ line }: { line: ConsoleLine }) {
  if (line.kind === 'echo') return <EchoLine echo={line.echo} />;
  const count = line.to_seq - line.from_seq + 1;
  return (
    <div className="echo-gap">
      {count === 1
        ? `Echo ${line.from_seq} is`
        : `${count.toLocaleString()} echoes (${line.from_seq}–${line.to_seq}) are`}{' '}
      not in this view. The saved echoes have {count === 1 ? 'it' : 'them'}.
    </div>
  );
}

interface EchoConsoleProps {
  lines: ConsoleLine[];
  /** New lines come: announce them, and stay at the newest until the reader scrolls away. */
  follow: boolean;
  emptyText: string;
}

/** Any number of lines; only those in sight are drawn. */
export function EchoConsole({ lines, follow, emptyText }: EchoConsoleProps) {
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: `lines` is what moves the end.
  useEffect(() => {
    if (isAtEnd && follow && lines.length > 0) virtualizer.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [lines, isAtEnd, follow]);

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
                  <Line line={line} />
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
