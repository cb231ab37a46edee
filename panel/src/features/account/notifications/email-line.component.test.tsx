import { screen } from '@testing-library/react';
import { showScreen } from '../../../test-screen.js';
import { EmailLine } from './email-line.js';

it('the line about e-mails names those about broken rows', async () => {
  showScreen(<EmailLine accountHref="/developer/account" />, {
    'GET /joint-api/account/notifications': { body: { email_events: ['rows.broken'] } },
  });
  expect(await screen.findByText(/You get e-mails about: rows broken\./)).toBeTruthy();
});
