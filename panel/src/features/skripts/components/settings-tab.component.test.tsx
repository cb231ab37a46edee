import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { Skript } from '../../../api/entities.js';
import { fill, press, sent, showScreen } from '../../../test-screen.js';
import { SettingsTab } from './settings-tab.js';
import { NEW_SKRIPT } from './skript-fields.js';

const UPDATE = 'PUT /joint-api/skripts/s1';
const SKRIPT = { ...NEW_SKRIPT, id: 's1', title: 'Books' } as Skript;

it.each([false, true])(
  'the settings of a skript show whether it is warm (%s), and save the changed value',
  async warm => {
    showScreen(<SettingsTab skript={{ ...SKRIPT, warm }} onDelete={() => {}} />, { [UPDATE]: { body: SKRIPT } });
    const field = screen.getByRole('checkbox', { name: 'Warm' }) as HTMLInputElement;
    expect(field.checked).toBe(warm);
    await act(async () => fireEvent.click(field));
    await press('Save settings');
    await waitFor(() => expect(sent.map(({ call }) => call)).toContain(UPDATE));
    expect(sent.find(({ call }) => call === UPDATE)?.body).toEqual({ ...NEW_SKRIPT, title: 'Books', warm: !warm });
  },
);

it('the settings of a skript save a time limit of two hours, and refuse one above the maximum', async () => {
  showScreen(<SettingsTab skript={SKRIPT} onDelete={() => {}} />, { [UPDATE]: { body: SKRIPT } });
  const field = screen.getByRole('textbox', { name: 'Time limit (ms)' }) as HTMLInputElement;
  expect(field.value).toBe('3,600,000');
  await act(async () => fireEvent.change(field, { target: { value: '86,400,001' } }));
  await press('Save settings');
  expect(screen.getByText('Between 1,000 and 86,400,000 ms')).toBeDefined();
  expect(sent.map(({ call }) => call)).not.toContain(UPDATE);
  await act(async () => fireEvent.change(field, { target: { value: '7,200,000' } }));
  await press('Save settings');
  await waitFor(() => expect(sent.map(({ call }) => call)).toContain(UPDATE));
  expect(sent.find(({ call }) => call === UPDATE)?.body).toMatchObject({ time_limit_ms: 7_200_000 });
});

it('the settings of a skript choose a pool of proxies by its name, and keep one that was deleted', async () => {
  showScreen(<SettingsTab skript={{ ...SKRIPT, proxy: 'gone' }} onDelete={() => {}} />, {
    [UPDATE]: { body: SKRIPT },
    'GET /joint-api/proxy-pools/list': { body: { total: 1, limit: 1_000, skip: 0, items: [{ name: 'residential' }] } },
  });
  const field = screen.getByRole('combobox', { name: 'Pool of proxies' }) as HTMLInputElement;
  expect(field.value).toBe('gone');
  await act(async () => fireEvent.click(field));
  await act(async () => fireEvent.click(await screen.findByRole('option', { name: 'residential', hidden: true })));
  await press('Save settings');
  await waitFor(() => expect(sent.map(({ call }) => call)).toContain(UPDATE));
  expect(sent.find(({ call }) => call === UPDATE)?.body).toMatchObject({ proxy: 'residential' });
});

it('the title field of a skript allows as many characters as the API', () => {
  showScreen(<SettingsTab skript={SKRIPT} onDelete={() => {}} />, {});
  expect((screen.getByRole('textbox', { name: 'Title' }) as HTMLInputElement).maxLength).toBe(120);
});

it('a setting that the API refuses is reported once, at its field and by its label', async () => {
  const message = 'thumbnail must be empty or an https URL';
  showScreen(<SettingsTab skript={SKRIPT} onDelete={() => {}} />, {
    [UPDATE]: { status: 400, body: { error_message: message, details: [{ field: 'thumbnail', message }] } },
  });
  await fill('Thumbnail', 'javascript:alert(1)');
  await press('Save settings');
  expect(await screen.findByText('The settings were not saved')).toBeTruthy();
  expect(screen.getAllByText(/must be empty/).map(({ textContent }) => textContent)).toEqual([
    'Thumbnail must be empty or an https URL.',
  ]);
});
