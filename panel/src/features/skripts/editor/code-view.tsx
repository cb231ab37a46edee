import type { BundleProblem } from '@trawl/contracts';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { BundleProblems, TypeErrors } from '../../../components/feedback/bundle-problems.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { AddFilesModal } from '../dropped/add-files-modal.js';
import { DropZone, notifyUnread } from '../dropped/drop-zone.js';
import { type Dropped, readFiles } from '../dropped/read-dropped.js';
import { FilesEditor } from '../files/components/files-editor.js';
import { VersionFiles } from '../versions/components/version-files.js';
import { CURRENT, comparing, viewing } from '../versions/version-links.js';
import { Bench } from './bench.js';
import { type Editing, placeIn } from './use-editing.js';

export interface CodeViewProps {
  skript: Skript;
  editing: Editing;
  /** Shows why the last start failed; null if it did not. */
  startFailure: ReactNode;
  /** Where the shown run failed, if it ran the current files. */
  runProblem: BundleProblem | null;
  /** Id of the run that `run` shows; empty if there is none. */
  runId: string;
  run: ReactNode;
}

/** The files of a skript, what is wrong with them, and the run below. */
export function CodeView({ skript, editing, startFailure, runProblem, runId, run }: CodeViewProps) {
  const params = useUrlParams();
  const [dropped, setDropped] = useState<Dropped | null>(null);
  const { drafts, bundle, typeErrors, problems, openProblem, target, viewed, placeKey } = editing;
  const marked = useMemo(() => (runProblem ? [...problems, runProblem] : problems), [problems, runProblem]);

  const docked = useRef<HTMLDivElement>(null);
  const [shownRunId, setShownRunId] = useState(runId);
  useEffect(() => {
    if (runId === shownRunId) return;
    setShownRunId(runId);
    // A new run grows after it has appeared. On phones, scroll its beginning to the top, so that the result is visible.
    const block = window.matchMedia('(max-width: 48em)').matches ? 'start' : 'nearest';
    docked.current?.scrollIntoView({ block });
  }, [runId, shownRunId]);

  const code =
    viewed === '' ? (
      <DropZone
        hint={`Drop files, a folder or an archive to add them to ${inReadingOrder(skript.title)}`}
        onDropped={setDropped}
      >
        <FilesEditor
          skript={skript}
          drafts={drafts}
          problems={marked}
          target={target}
          onUpload={files => void readFiles(files).then(setDropped, notifyUnread)}
        />
      </DropZone>
    ) : (
      <VersionFiles
        key={`${viewed}:${placeKey}`}
        skriptId={skript.id}
        hash={viewed}
        place={placeIn(params)}
        isDirty={drafts.isDirty}
        onCompare={() => params.set(comparing(viewed, CURRENT))}
        onLeave={() => params.set(viewing(null))}
      />
    );

  return (
    <>
      <div className="bench-problems">
        {bundle.isError ? <BundleProblems error={bundle.error} onOpen={openProblem} /> : startFailure}
        {typeErrors.length > 0 && <TypeErrors problems={typeErrors} onOpen={openProblem} />}
      </div>
      <Bench code={code} run={run} runRef={docked} />
      {dropped && <AddFilesModal skript={skript} dropped={dropped} drafts={drafts} onClose={() => setDropped(null)} />}
    </>
  );
}
