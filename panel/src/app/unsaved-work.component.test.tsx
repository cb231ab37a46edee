import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { Link, useNavigate } from 'react-router';
import { unsavedWords, useUnsavedWork } from '../components/unsaved/unsaved-work.js';
import { UnsavedWorkGuard } from '../components/unsaved/unsaved-work-guard.js';
import { homeOf, skriptWith } from '../features/skripts/home/test-home.js';
import { NamedValueModal } from '../features/skripts/inputs/components/named-value-modal.js';
import { INPUT } from '../features/skripts/inputs/named-values.js';
import { NewUserModal } from '../features/users/components/new-user-modal.js';
import { clearCookies, storeSession } from '../session/session-cookies.js';
import { endSession, onSessionEnd } from '../session/session-end.js';
import { fill, press, sent, showScreen } from '../test-screen.js';
import { AccountFoot } from './account-foot.js';

function Back() {
  const navigate = useNavigate();
  return (
    <button type="button" onClick={() => void navigate(-1)}>
      Back
    </button>
  );
}

const editor = (
  <>
    {homeOf(skriptWith())}
    <Link to="/developer/workers">Workers</Link>
    <Link to="/developer/here?tab=settings">Settings link</Link>
    <Back />
    <UnsavedWorkGuard />
    <AccountFoot />
  </>
);

const openTab = async (name: string) => act(async () => fireEvent.click(screen.getByRole('tab', { name })));
const category = () => screen.getByRole('textbox', { name: 'Category' }) as HTMLInputElement;

const signInAs = (username: string) => storeSession({ username, role: 'developer', token: 't' });
afterEach(() => {
  clearCookies();
  sessionStorage.clear();
});

/** Opens the settings of a skript and changes one. */
async function changeSettings(): Promise<void> {
  signInAs('ana');
  showScreen(editor, { 'POST /panel/logout': { body: {} } });
  await openTab('Settings');
  await fill('Category', 'poetry');
}

describe('unsaved settings of a skript', () => {
  it('remain when the user opens another tab and returns', async () => {
    await changeSettings();
    await openTab('Code');
    await openTab('Settings');
    expect(category().value).toBe('poetry');
  });

  it('are discarded by following a link only after a confirmation', async () => {
    await changeSettings();
    await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Workers' })));
    expect(screen.getByText('Leave without saving?')).toBeTruthy();
    await press('Stay');
    expect(category().value).toBe('poetry');
  });

  it('are discarded by signing out only after a confirmation', async () => {
    await changeSettings();
    await press('Sign out');
    expect(screen.getByText('Sign out without saving?')).toBeTruthy();
    expect(sent.map(({ call }) => call)).not.toContain('POST /panel/logout');
    await press('Sign out without saving');
    await waitFor(() => expect(sent.map(({ call }) => call)).toContain('POST /panel/logout'));
  });

  it('return with a notice when the user signs in again after the session has ended', async () => {
    await changeSettings();
    await act(async () => endSession());
    cleanup();
    showScreen(editor, {});
    await waitFor(() => expect(category().value).toBe('poetry'));
    expect(screen.getByText(/Your changes to the settings from before you signed in are back/)).toBeTruthy();
  });

  it.each([
    ['a link', () => screen.getByRole('link', { name: 'Workers' })],
    ['a tab of the same page', () => screen.getByRole('tab', { name: 'Runs' })],
  ])(
    'return when the user signs in after %s has discovered that the session cookies are gone',
    async (_what, target) => {
      await changeSettings();
      clearCookies();
      await act(async () => fireEvent.click(target()));
      expect(screen.queryByText('Leave without saving?')).toBeNull();
      cleanup();
      signInAs('ana');
      showScreen(editor, {});
      await openTab('Settings');
      await waitFor(() => expect(category().value).toBe('poetry'));
      expect(screen.getByText(/Your changes to the settings from before you signed in are back/)).toBeTruthy();
    },
  );

  it('are kept on a step back without session cookies; the session ends once the history is restored', async () => {
    signInAs('ana');
    showScreen(editor, {});
    await act(async () => fireEvent.click(screen.getByRole('link', { name: 'Settings link' })));
    await fill('Category', 'poetry');
    const ended = jest.fn();
    const forget = onSessionEnd(ended);
    clearCookies();
    await press('Back');
    expect(ended).not.toHaveBeenCalled();
    window.dispatchEvent(new PopStateEvent('popstate'));
    window.dispatchEvent(new PopStateEvent('popstate'));
    expect(ended).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(sessionStorage)).toContain('poetry');
    forget();
  });
});

it('the warning names what is not saved, and counts what it has no room for', () => {
  const Files = ({ names }: { names: string[] }) => {
    useUnsavedWork(true, false, names);
    return <p>{unsavedWords()}</p>;
  };
  const names = ['main.js', 'lib/parse.js', 'lib/pages.js', 'prices.test.js'];
  const { rerender } = render(<Files names={[]} />);
  const shownWith = (some: string[]) => {
    rerender(<Files names={some} />);
    rerender(<Files names={some} />);
    return screen.getByText(/saved|changes/).textContent;
  };
  expect(shownWith([])).toBe('This page has unsaved changes.');
  expect(shownWith(names.slice(0, 2))).toBe('Not saved: main.js, lib/parse.js.');
  expect(shownWith(names)).toBe('Not saved: main.js, lib/parse.js, lib/pages.js and 1 more.');
});

describe('entries in the dialog of a new user', () => {
  const newUser = <NewUserModal onClose={() => {}} />;
  const field = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
  it('return, without passwords, when the same user opens the dialog again after the session has ended', async () => {
    signInAs('ana');
    showScreen(newUser, {}, '/admin/users');
    await fill('E-mail address', 'ben@example.com');
    await fill('Password', 'hunter2-hunter2');
    await act(async () => endSession());
    expect(screen.getByText(/Trawl keeps your entries in “New user”/)).toBeTruthy();
    expect(JSON.stringify(sessionStorage)).not.toContain('hunter2');

    const open = async (address: string) => {
      cleanup();
      showScreen(newUser, {}, address);
      return field('E-mail address').value;
    };
    expect(await open('/admin/elsewhere')).toBe('');
    signInAs('cleo');
    expect(await open('/admin/users')).toBe('');
    signInAs('ana');
    expect(await open('/admin/users')).toBe('ben@example.com');
    expect(field('Password').value).toBe('');
    expect(screen.getByText(/Your entries in this form from before you signed in are back/)).toBeTruthy();
  });
});

const EMPTY = { id: null, initialName: 'input.json', initialText: '' };

describe('a value typed into the dialog of an input', () => {
  const onClose = jest.fn();
  const typeValue = async () => {
    onClose.mockClear();
    showScreen(<NamedValueModal kind={INPUT} {...EMPTY} onClose={onClose} onSave={async () => {}} />, {});
    await fill('Value (JSON)', '{ "pages": 3 }');
  };
  const clickOutside = async () => {
    const overlay = document.querySelector('.mantine-Modal-overlay') as HTMLElement;
    await act(async () => void fireEvent.click(overlay));
  };

  it('is lost by a step back to another tab of the same page only after a confirmation', async () => {
    signInAs('ana');
    const form = <NamedValueModal kind={INPUT} {...EMPTY} onClose={onClose} onSave={async () => {}} />;
    showScreen(
      <>
        {homeOf(skriptWith(), { panels: { runs: null, data: null, schedules: form, alerts: null } })}
        <Back />
        <UnsavedWorkGuard />
      </>,
      {},
    );
    await openTab('Schedules');
    await fill('Value (JSON)', '{ "pages": 3 }');
    await press('Back');
    await press('Stay');
    expect(screen.getByLabelText('Value (JSON)').textContent).toBe('{ "pages": 3 }');
    await press('Back');
    await press('Leave without saving');
    await waitFor(() => expect(screen.queryByLabelText('Value (JSON)')).toBeNull());
  });

  it.each([
    ['a click outside', clickOutside],
    ['Escape', async () => act(async () => void fireEvent.keyDown(document.body, { key: 'Escape' }))],
    ['Cancel', () => press('Cancel')],
  ])('is discarded by %s only after a confirmation', async (_how, close) => {
    await typeValue();
    await close();
    expect(onClose).not.toHaveBeenCalled();
    await press('Keep editing');
    expect(screen.getByLabelText('Value (JSON)').textContent).toBe('{ "pages": 3 }');
    await close();
    await press('Discard');
    expect(onClose).toHaveBeenCalledTimes(1);
  });
});
