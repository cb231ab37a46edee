import { screen } from '@testing-library/react';
import { showScreen } from '../../../test-screen.js';
import { EmailLine } from './email-line.js';

it('the line about e-mails names those about broken rows', async () => {
  showScreen(<EmailLine accountHref="/developer/account" />, {
    'GET /joint-api/account/notifications': { body: { email_events: ['rows.broken'] } },
    'GET /joint-api/account': { body: { has_email: true } },
  });
  expect(await screen.findByText(/You get e-mails about: rows broken\./)).toBeTruthy();
});

it('the line about e-mails promises none to an account without an address', async () => {
  showScreen(<EmailLine accountHref="/developer/account" />, {
    'GET /joint-api/account/notifications': { body: { email_events: ['rows.broken'] } },
    'GET /joint-api/account': { body: { has_email: false } },
  });
  expect(await screen.findByText(/You get no e-mails: Trawl has no address for your account\./)).toBeTruthy();
});
