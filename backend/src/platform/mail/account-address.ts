/**
 * Returns the address for e-mails to an account; undefined if there is none. The accounts that the platform creates at
 * its first start belong to the operator, and their user names are not e-mail addresses.
 */
export const accountAddress = (username: string, contactEmail: string | undefined): string | undefined =>
  username.includes('@') ? username : contactEmail;
