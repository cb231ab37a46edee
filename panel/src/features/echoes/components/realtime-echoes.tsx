import { Alert, Button } from '@mantine/core';
import { type Action, type EchoType, isLive } from '@trawl/contracts';
import { useState } from 'react';
import { SearchField } from '../../../components/list/search-field.js';
import { type ConsoleLine, consoleLines, type EchoBuffer, hasGaps } from '../echo-buffer.js';
import { FIRST_PAGE, LAST_PAGE, pageFrom } from '../echo-place.js';
import { useLiveEchoes } from '../use-live-echoes.js';
import { EchoConsole } from './echo-console.js';
import { EchoTypeSelect } from './echo-type-select.js';
import { railMarks } from './error-rail.js';
import { OpenQuestions } from './open-questions.js';

/** Returns the echoes that match the filter, or with an empty filter all of them and the gaps between them. */
const filteredLines = (echoes: EchoBuffer, type: EchoType | null, text: string): ConsoleLine[] => {
  if (type === null && text === '') return consoleLines(echoes);
  const searched = text.toLowerCase();
  return echoes
    .filter(echo => (type === null || echo.type === type) && echo.msg.toLowerCase().includes(searched))
    .map(echo => ({ kind: 'echo', echo }));
};

const NO_MATCH = 'No live echo matches. Clear the search or the type filter.';

interface RealtimeEchoesProps {
  executionId: string;
  action: Action;
  /** Called with the URL parameters that show the saved echoes with the same filter at the same place. */
  onShowSaved: (params: Record<string, string | null>) => void;
}

/** Echoes of a run as they arrive. When the run ends, the lines stay where they are, and the last ones are added. */
export function RealtimeEchoes({ executionId, action, onShowSaved }: RealtimeEchoesProps) {
  const { echoes, questions, endTotal, isConnected, problem } = useLiveEchoes(executionId, isLive(action));
  const [type, setType] = useState<EchoType | null>(null);
  const [text, setText] = useState('');
  const [shownSeq, setShownSeq] = useState<number>();
  const errorSeqs = echoes.flatMap(echo => (echo.type === 'error' ? [echo.seq] : []));
  const nextError = errorSeqs.find(seq => seq > (shownSeq ?? 0)) ?? errorSeqs[0];
  const isFiltered = type !== null || text !== '';
  const isIncomplete = hasGaps(echoes);
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
      {echoes.length > 0 && (
        <div className="list-bar">
          <SearchField label="Search the live echoes" value={text} onChange={setText} />
          <EchoTypeSelect value={type} onChange={setType} />
          {nextError !== undefined && (
            <Button variant="default" onClick={() => setShownSeq(nextError)}>
              {shownSeq === undefined ? 'First error' : 'Next error'}
            </Button>
          )}
        </div>
      )}
      {isFiltered && isIncomplete && (
        <p className="console-note">
          Only the {echoes.length.toLocaleString()} loaded lines were searched.{' '}
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
        key={`${type} ${text}`}
        lines={filteredLines(echoes, type, text)}
        shownSeq={shownSeq}
        errors={{ marks: railMarks(errorSeqs, echoes.at(-1)?.seq ?? 0), onPick: setShownSeq }}
        executionId={executionId}
        follow
        ended={ended}
        emptyText={echoes.length === 0 ? noEchoesText : isIncomplete ? 'No loaded line matches.' : NO_MATCH}
      />
      <OpenQuestions executionId={executionId} questions={questions} isLive={!ended} />
    </>
  );
}
