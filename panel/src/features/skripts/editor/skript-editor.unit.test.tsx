/** @jest-environment ./scripts/jest/panel-environment.cjs */
import { act, fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import type { Skript } from '../../../api/entities.js';
import { press, showScreen } from '../../../test-screen.js';
import { NEW_SKRIPT } from '../components/skript-fields.js';
import { SkriptEditor } from './skript-editor.js';

const SKRIPT = { ...NEW_SKRIPT, id: 's1', title: 'Books', files: [] as Skript['files'], bundle_hash: 'new' } as Skript;

/** An editor whose first run is `r1`. */
function Editor() {
  const [runId, setRunId] = useState('');
  return (
    <>
      <SkriptEditor
        skript={SKRIPT}
        crumbs={null}
        onRun={() => setRunId('r1')}
        isStarting={false}
        startError={null}
        renderStartFailure={() => null}
        onDelete={() => {}}
        runId={runId}
        run={runId && <p>The run {runId}</p>}
      />
      <p>{`address ${useLocation().search}`}</p>
    </>
  );
}

it('keeps the tab in the address', async () => {
  showScreen(<Editor />, {}, '/developer/here?tab=settings&execution_id=r9');
  expect(screen.getByRole('tab', { name: 'Settings' }).getAttribute('aria-selected')).toBe('true');
  await act(async () => fireEvent.click(screen.getByRole('tab', { name: 'Inputs' })));
  expect(screen.getByText('address ?tab=inputs&execution_id=r9')).toBeTruthy();
});

it('scrolls to a new run, which begins below the visible area of a phone', async () => {
  const scroll = jest.spyOn(Element.prototype, 'scrollIntoView');
  showScreen(<Editor />, {});
  await press('Run');
  const docked = (await screen.findByText('The run r1')).parentElement;
  expect(scroll.mock.contexts).toContain(docked);
  scroll.mockRestore();
});

it.each([
  ['old', true],
  ['new', false],
])('opened for the error of version %s, warns that the files have changed: %s', (version, warns) => {
  showScreen(<Editor />, {}, `/developer/here?file=main.js&line=2&column=1&version=${version}`);
  expect(screen.queryByText('These are not the files of that run') !== null).toBe(warns);
});
