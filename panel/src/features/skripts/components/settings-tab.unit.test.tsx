/** @jest-environment ./panel/jest-environment.cjs */
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Skript } from '../../../api/entities.js';
import { press, sent, showScreen } from '../../../test-screen.js';
import { SettingsTab } from './settings-tab.js';
import { NEW_SKRIPT } from './skript-fields.js';

const UPDATE = 'PUT /joint-api/skripts/s1';
const SKRIPT = { ...NEW_SKRIPT, id: 's1', title: 'Books' } as Skript;

afterEach(cleanup);

it.each([false, true])('a skript that is warm: %s, is shown so, and saved as the other', async warm => {
  showScreen(<SettingsTab skript={{ ...SKRIPT, warm }} onDelete={() => {}} />, { [UPDATE]: { body: SKRIPT } });
  const field = screen.getByRole('checkbox', { name: 'Warm' }) as HTMLInputElement;
  expect(field.checked).toBe(warm);
  await act(async () => fireEvent.click(field));
  await press('Save settings');
  await waitFor(() => expect(sent.map(({ call }) => call)).toContain(UPDATE));
  expect(sent.find(({ call }) => call === UPDATE)?.body).toEqual({ ...NEW_SKRIPT, title: 'Books', warm: !warm });
});
