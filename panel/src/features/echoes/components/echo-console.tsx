import { Button } from '@mantine/core';
import { IconArrowDown, IconPlayerPause } from '@tabler/icons-react';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import type { Action } from '@trawl/contracts';
import { memo, type UIEvent, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { notifyError } from '../../../components/feedback/notify.js';
import { ACTION_LABELS } from '../../../components/values/status.js';
import { listEchoes } from '../api/list-echoes.js';
import { type ConsoleContent, contentOf, hasAllLines, lineAt, withEarlierLines } from '../console-content.js';
import { addEchoes, type ConsoleLine, consoleLines } from '../echo-buffer.js';
import { RowSlots } from '../row-slots.js';
import { useKeptPlace } from '../use-kept-place.js';
import { useReusedRows } from '../use-reused-rows.js';
import { EchoLine } from './echo-line.js';
import { ErrorRail, type RailMark } from './error-rail.js';

type Gap = Extract<ConsoleLine, { kind: 'gap' }>;

/** Maximum number of missing echoes that are loaded at once. */
const GAP_PAGE = 1_000;
const LINE_PX = 25;
/** If the user scrolled to within this many pixels of the end, the console scrolls to new lines by itself. */
const END_PX = 40;

// Both regions scroll. With `tabIndex: 0`, keyboard users can focus and scroll them.
const LIVE_REGION = { role: 'log', 'aria-label': 'Echoes', tabIndex: 0 };
const SAVED_REGION = { role: 'region', 'aria-label': 'Lines of the saved echoes', tabIndex: 0 };

interface LineProps {
  line: ConsoleLine;
  /** Loads the end of a gap. Missing if the run is not followed. */
  onLoad: ((gap: Gap) => void) | undefined;
}

/** Memoized, because the console also renders after a scroll, which changes no line. */
const Line = memo(function Line({ line, onLoad }: LineProps) {
  if (line.kind === 'echo') return <EchoLine echo={line.echo} />;
  const count = line.to_seq - line.from_seq + 1;
  return (
    <div className="echo-gap">
      {count === 1
        ? `Echo ${line.from_seq} is`
        : `${count.toLocaleString()} echoes (${line.from_seq}–${line.to_seq}) are`}{' '}
      missing from this view.{' '}
      {onLoad ? (
        <button type="button" className="json-more" onClick={() => onLoad(line)}>
          {count > GAP_PAGE ? `Load the last ${GAP_PAGE.toLocaleString()} of them` : 'Load'}
        </button>
      ) : (
        'See the saved echoes.'
      )}
    </div>
  );
});

interface Followed {
  /** The run, from which missing echoes are loaded. */
  executionId: string;
  /** Keeps the newest lines, so that `linesBefore` can load the earlier ones of them. */
  hold: () => void;
  linesBefore: (key: number) => Promise<readonly ConsoleLine[]>;
}

interface EchoConsoleProps {
  content: ConsoleContent;
  /**
   * A run that was live when the console was opened: new lines are announced, and the console scrolls to them. While the
   * user reads further up, the lines stay as they are, although the newest replace the oldest in `content`.
   */
  followed?: Followed;
  /**
   * For a followed run that has ended. The button below the lines opens the saved echoes at the user's place. Without
   * `onShowSaved`, there is no button, because the run sent no echoes.
   */
  ended?: {
    action: Action;
    /** `firstSeq` is the number of the first visible echo; null if the user is at the end. */
    onShowSaved?: (firstSeq: number | null) => void;
  };
  /** True to show the last lines at first. */
  startAtEnd?: boolean;
  /** Number of the echo to show at first and to mark, such as an error that the user jumped to. */
  shownSeq?: number;
  /** Errors to mark along the scrollbar. `onPick` shows one. */
  errors?: { marks: readonly RailMark[]; onPick: (seq: number) => void };
  emptyText: string;
}

/** Virtualized list of echoes. */
export function EchoConsole(props: EchoConsoleProps) {
  const { content: newest, followed, ended, startAtEnd = false, shownSeq, errors, emptyText } = props;
  const follow = followed !== undefined;
  const frameRef = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(follow);
  const [isPaused, setPaused] = useState(false);
  // The lines that the user reads, with those loaded from the server. Null while the console follows the run.
  const [held, setHeld] = useState<ConsoleContent | null>(null);
  const loading = useRef(0);
  const content = held ?? newest;
  const { keys } = content;
  const isFollowing = isAtEnd && follow;
  // While the console follows the run, there is only room above the lines that are on the page.
  const hidden = isFollowing ? keys.length - content.lines.length : 0;
  const [slots] = useState(() => new RowSlots());
  const rowsRef = useRef<HTMLDivElement>(null);
  // While new lines replace all others, each hidden row costs as much as a visible one.
  const lastRows = useCallback(({ count }: Range) => {
    const rows = Math.ceil((frameRef.current?.clientHeight ?? 0) / LINE_PX) + 3;
    return Array.from({ length: Math.min(rows, count) }, (_, row) => Math.max(0, count - rows) + row);
  }, []);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: keys.length - hidden,
    paddingStart: hidden * LINE_PX,
    getScrollElement: () => frameRef.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
    rangeExtractor: isFollowing ? lastRows : defaultRangeExtractor,
    // When the user stops following, the visible lines stay where they are.
    anchorTo: follow && !isAtEnd ? 'end' : 'start',
    // One function for the same lines, because the virtualizer measures all lines again for another one.
    getItemKey: useCallback((index: number) => keys[hidden + index] ?? index, [keys, hidden]),
  });
  const rowRef = useReusedRows(virtualizer, rowsRef, isFollowing);
  const height = virtualizer.getTotalSize();

  useKeptPlace(frameRef, held !== null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new `keys` and a taller line move the end.
  useLayoutEffect(() => {
    if (isFollowing && frameRef.current) frameRef.current.scrollTop = frameRef.current.scrollHeight;
  }, [keys, height, isFollowing]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the lines appear.
  useEffect(() => {
    if (startAtEnd && keys.length > 0) virtualizer.scrollToIndex(keys.length - 1, { align: 'end' });
  }, []);

  /** Keeps these lines, and returns them when all of them are on the page. */
  const hold = async (kept: ConsoleContent): Promise<ConsoleContent> => {
    loading.current += 1;
    const turn = loading.current;
    let loaded = kept;
    setHeld(loaded);
    if (!followed || hasAllLines(kept)) return loaded;
    if (kept !== held) followed.hold();
    for await (loaded of withEarlierLines(kept, followed.linesBefore)) {
      if (turn !== loading.current) break;
      setHeld(loaded);
    }
    return loaded;
  };
  const letGo = () => {
    loading.current += 1;
    setHeld(null);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another echo is to be shown.
  useEffect(() => {
    if (shownSeq === undefined) return;
    // The echo may have arrived after the user stopped following the run.
    const source = keys.includes(shownSeq) ? content : newest;
    const index = source.keys.indexOf(shownSeq);
    if (index < 0) return;
    setAtEnd(false);
    if (follow && source !== held) void hold(source);
    // After the lines are drawn.
    requestAnimationFrame(() => virtualizer.scrollToIndex(index, { align: 'center' }));
  }, [shownSeq]);

  const move = (toEnd: boolean) => {
    setPaused(false);
    setAtEnd(toEnd);
    if (follow && toEnd) letGo();
    else if (follow) void hold(content);
  };
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: UIEvent<HTMLDivElement>) => {
    const toEnd = scrollHeight - scrollTop - clientHeight < END_PX;
    if (!isPaused && toEnd !== isAtEnd) move(toEnd);
  };

  const loadGap = async (executionId: string, gap: Gap) => {
    const limit = Math.min(GAP_PAGE, gap.to_seq - gap.from_seq + 1);
    try {
      const { lines } = await hold(content);
      const { items } = await listEchoes({ execution_id: executionId, limit, before_seq: gap.to_seq + 1 });
      const known = lines.flatMap(line => (line.kind === 'echo' ? [line.echo] : []));
      const filled = contentOf(consoleLines(addEchoes(known, items, Number.POSITIVE_INFINITY)));
      setAtEnd(false);
      setHeld(filled);
      const next = filled.keys.findIndex(key => key > gap.to_seq);
      // After the lines are drawn, show the same line as before at the top.
      requestAnimationFrame(() => virtualizer.scrollToIndex(Math.max(0, next), { align: 'start' }));
    } catch (error) {
      notifyError('The echoes could not be loaded', error);
    }
  };

  const firstVisibleSeq = (): number | null => {
    const first = virtualizer.getVirtualItemForOffset(virtualizer.scrollOffset ?? 0)?.index ?? 0;
    return keys.subarray(hidden + first).find(key => key > 0) ?? null;
  };

  const visible = virtualizer.getVirtualItems().flatMap(item => {
    const line = lineAt(content, hidden + item.index);
    return line ? [{ line, key: keys[hidden + item.index] ?? 0, index: item.index, start: item.start }] : [];
  });
  // While new lines replace all others, rows are changed instead of made anew, and so measured again.
  const rows = slots.take(
    visible.map(({ key }) => key),
    isFollowing,
  );
  const missed = held ? (newest.keys.at(-1) ?? 0) - (held.keys.at(-1) ?? 0) : 0;
  return (
    <>
      <div className="console" data-held={held !== null || undefined}>
        <div className="console-lines" ref={frameRef} onScroll={onScroll} {...(follow ? LIVE_REGION : SAVED_REGION)}>
          {keys.length === 0 && <p className="console-empty">{emptyText}</p>}
          <div ref={rowsRef} style={{ height, position: 'relative' }}>
            {visible.map(({ line, key, index, start }) => (
              <div
                key={rows.get(key)}
                data-index={index}
                ref={rowRef}
                className="console-row"
                data-shown={key === shownSeq || undefined}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line
                  line={line}
                  onLoad={line.kind === 'gap' && followed ? gap => void loadGap(followed.executionId, gap) : undefined}
                />
              </div>
            ))}
          </div>
        </div>
        {errors && <ErrorRail {...errors} />}
        {follow && !ended && isAtEnd && keys.length > 0 && (
          <Button
            className="console-jump"
            size="xs"
            variant="default"
            leftSection={<IconPlayerPause size={14} aria-hidden />}
            onClick={() => {
              move(false);
              setPaused(true);
            }}
          >
            Pause the view
          </Button>
        )}
        {follow && !isAtEnd && keys.length > 0 && (
          <Button
            className="console-jump"
            size="xs"
            leftSection={<IconArrowDown size={14} aria-hidden />}
            onClick={() => move(true)}
          >
            {missed > 0 ? `${missed.toLocaleString()} newer` : 'Newest'}
          </Button>
        )}
      </div>
      {ended && (
        <div className="list-foot">
          <span role="status">The run has ended: {ACTION_LABELS[ended.action]}.</span>
          {ended.onShowSaved && (
            <Button
              size="xs"
              variant="default"
              onClick={() => ended.onShowSaved?.(isAtEnd && !held ? null : firstVisibleSeq())}
            >
              Show saved echoes
            </Button>
          )}
        </div>
      )}
    </>
  );
}
