import { fireEvent, screen } from '@testing-library/react';
import type { Skript } from '../../../api/entities.js';
import { showScreen } from '../../../test-screen.js';
import DuplicateModal from './duplicate-modal.js';

it('the title of a copy fits into the limit, and must not be empty', async () => {
  showScreen(<DuplicateModal skript={{ id: 's', title: 'x'.repeat(120) } as Skript} onClose={() => {}} />, {});
  const title = await screen.findByLabelText<HTMLInputElement>('Title of the copy');
  expect([title.value, title.maxLength]).toEqual([`${'x'.repeat(113)} (copy)`, 120]);
  fireEvent.change(title, { target: { value: ' ' } });
  fireEvent.click(screen.getByRole('button', { name: 'Duplicate' }));
  expect(await screen.findByText('Enter a name')).toBeTruthy();
});
