/** Headers whose values let others act as the user. */
const CREDENTIAL_HEADER =
  /cookie|^(?:proxy-)?authorization$|^(?:proxy-)?authentication-info$|(?:^|[-_])(?:api[-_]?key|auth|token|secret|password)$/i;
/** The name and password of an address. A scheme has few characters: without a limit, a long text would take long. */
const USER_OF_ADDRESS = /\b([a-z][a-z\d+.-]{0,20}:\/\/)[^/?#\s"'<>]*@/gi;
const CREDENTIAL_PARAMETER =
  /([?&#](?:(?:access|refresh|id|auth|api)[-_]?token|token|api[-_]?key|client[-_]?secret|secret|password|passwd|pwd)=)[^&#\s"'<>]*/gi;

export const HIDDEN = '[redacted]';

export const isCredentialHeader = (name: string): boolean => CREDENTIAL_HEADER.test(name);

/** Hides passwords, tokens and keys of the addresses in a text. */
export const withoutAddressCredentials = (text: string): string =>
  text.includes('://') || text.includes('=')
    ? text.replace(USER_OF_ADDRESS, `$1${HIDDEN}@`).replace(CREDENTIAL_PARAMETER, `$1${HIDDEN}`)
    : text;
