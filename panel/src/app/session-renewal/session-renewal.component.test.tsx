import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { clearCookies, readSession, storeSession } from '../../session/session-cookies.js';
import { type Served, sent, showScreen } from '../../test-screen.js';
import { useSessionRenewal } from './use-session-renewal.js';

const RENEW = 'POST /joint-api/account/sessions/renew';
const token = () => readSession(document.cookie)?.token;

function Screen() {
  useSessionRenewal();
  return <button type="button">Save</button>;
}

function show(answer: Served = { body: { jwtToken: 'new' } }): void {
  storeSession({ username: 'ann', role: 'developer', token: 'old' });
  showScreen(<Screen />, { [RENEW]: answer });
}
/** Clicks, and waits until everything that follows from it has happened. */
const click = () => act(async () => void fireEvent.pointerDown(screen.getByRole('button')));
const renewals = () => sent.filter(({ call }) => call === RENEW).length;

describe('a session', () => {
  it('gets a new token and new cookies when the user does something, and not again at once', async () => {
    show();
    expect(renewals()).toBe(0);
    await click();
    await waitFor(() => expect(token()).toBe('new'));
    expect(sent[0]?.authorization).toBe('Bearer old');
    await click();
    expect(renewals()).toBe(1);
    expect(readSession(document.cookie)).toEqual({ username: 'ann', role: 'developer', token: 'new' });
  });

  it('is renewed at the next activity if a renewal fails', async () => {
    let isBroken = true;
    show(() => (isBroken ? { status: 503, body: {} } : { body: { jwtToken: 'new' } }));
    await click();
    await waitFor(() => expect(renewals()).toBe(1));
    isBroken = false;
    await waitFor(async () => {
      await click();
      expect(token()).toBe('new');
    });
  });

  it('stays ended if the user signs out during a renewal', async () => {
    let answer = () => {};
    show(() => new Promise(resolve => (answer = () => resolve({ body: { jwtToken: 'new' } }))));
    await click();
    await waitFor(() => expect(renewals()).toBe(1));
    clearCookies();
    await act(async () => answer());
    expect(token()).toBeUndefined();
  });
});
