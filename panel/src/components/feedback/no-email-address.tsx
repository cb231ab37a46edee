import { Alert } from '@mantine/core';
import { useAccount } from '../../api/requests/get-account.js';

/** Says that the account gets no e-mails, if Trawl has no address for it. */
export function NoEmailAddress() {
  if (useAccount().data?.has_email !== false) return null;
  return (
    <Alert color="yellow" variant="light" my="sm" title="Trawl has no e-mail address for your account">
      Your user name is not an e-mail address, so you get no e-mail. An administrator can give Trawl an address: set{' '}
      <code>CONTACT_EMAIL</code>, then restart the backend.
    </Alert>
  );
}
