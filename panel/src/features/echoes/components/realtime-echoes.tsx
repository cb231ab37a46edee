import { Alert, Button } from '@mantine/core';
import { type Action, isLive } from '@trawl/contracts';
import { memo, useCallback, useState } from 'react';
import { SearchField } from '../../../components/list/search-field.js';
import { FIRST_PAGE, LAST_PAGE, pageFrom } from '../echo-place.js';
import { type EchoFilter, NO_FILTER } from '../live/messages.js';
import { useLiveEchoes } from '../use-live-echoes.js';
import { EchoConsole } from './echo-console.js';
import { EchoTypeSelect } from './echo-type-select.js';
import { railMarks } from './error-rail.js';
import { OpenQuestions } from './open-questions.js';

const NO_MATCH = 'No live echo matches. Clear the search or the type filter.';

interface LiveFiltersProps extends EchoFilter {
  onChoose: (filter: EchoFilter) => void;
  nextError: number | undefined;
  isFirstError: boolean;
  onShow: (seq: number) => void;
}

/** Search, type and the next error. They need not be drawn again with each view. */
const LiveFilters = memo(function LiveFilters(props: LiveFiltersProps) {
  const { type, text, onChoose, nextError, isFirstError, onShow } = props;
  return (
    <div className="list-bar">
      <SearchField
        label="Search the live echoes"
        value={text}
        onChange={searched => onChoose({ type, text: searched })}
      />
      <EchoTypeSelect value={type} onChange={chosen => onChoose({ type: chosen, text })} />
      {nextError !== undefined && (
        <Button variant="default" onClick={() => onShow(nextError)}>
          {isFirstError ? 'First error' : 'Next error'}
        </Button>
      )}
    </div>
  );
});

interface RealtimeEchoesProps {
  executionId: string;
  action: Action;
  /** Called with the URL parameters that show the saved echoes with the same filter at the same place. */
  onShowSaved: (params: Record<string, string | null>) => void;
}

/** Echoes of a run as they arrive. When the run ends, the lines stay where they are, and the last ones are added. */
export function RealtimeEchoes({ executionId, action, onShowSaved }: RealtimeEchoesProps) {
  const live = useLiveEchoes(executionId, isLive(action));
  const { loaded, errorSeqs, isIncomplete, endTotal, isConnected, problem } = live;
  // The user's choice. The lines match it when the view from the worker arrives.
  const [{ type, text }, setChosen] = useState(NO_FILTER);
  const { setFilter } = live;
  const choose = useCallback(
    (filter: EchoFilter) => {
      setChosen(filter);
      setFilter(filter);
    },
    [setFilter],
  );
  const [shownSeq, setShownSeq] = useState<number>();
  const nextError = errorSeqs.find(seq => seq > (shownSeq ?? 0)) ?? errorSeqs[0];
  const isFiltered = type !== null || text !== '';
  const ended = isLive(action)
    ? undefined
    : {
        action,
        onShowSaved:
          endTotal === 0
            ? undefined
            : (firstSeq: number | null) =>
                onShowSaved({ ...(firstSeq === null ? LAST_PAGE : pageFrom(firstSeq)), type, contains: text }),
      };
  const noEchoesText = !ended
    ? 'No echoes yet. They appear here as the skript sends them.'
    : endTotal === 0
      ? 'This run sent no echoes.'
      : endTotal === null && problem === null
        ? 'Loading the last echoes…'
        : 'No echoes here. See the saved ones.';
  return (
    <>
      {problem && (
        <Alert role="alert" color="red" variant="light" m="xs" p="xs" title="Live echoes are incomplete">
          {problem}
        </Alert>
      )}
      {!ended && !isConnected && (
        <p className="console-note" role="status">
          Connecting to the live echoes…
        </p>
      )}
      {loaded > 0 && (
        <LiveFilters
          type={type}
          text={text}
          onChoose={choose}
          nextError={nextError}
          isFirstError={shownSeq === undefined}
          onShow={setShownSeq}
        />
      )}
      {isFiltered && isIncomplete && (
        <p className="console-note">
          Only the {loaded.toLocaleString()} loaded lines were searched.{' '}
          <button
            type="button"
            className="json-more"
            onClick={() => onShowSaved({ ...FIRST_PAGE, type, contains: text })}
          >
            Search the saved echoes
          </button>
        </p>
      )}
      <EchoConsole
        key={`${live.filter.type} ${live.filter.text}`}
        content={live.content}
        followed={{ executionId, ...live }}
        shownSeq={shownSeq}
        errors={{ marks: railMarks(errorSeqs, live.lastSeq), onPick: setShownSeq }}
        ended={ended}
        emptyText={loaded === 0 ? noEchoesText : isIncomplete ? 'No loaded line matches.' : NO_MATCH}
      />
      <OpenQuestions executionId={executionId} questions={live.questions} isLive={!ended} />
    </>
  );
}
