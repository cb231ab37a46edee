/** E-mail addresses that the forms for contact and sign-up accept: no quoted or non-ASCII parts, a TLD of 2 to 4 letters. */
export const EMAIL_PATTERN = /^[A-Za-z0-9._-]+@([A-Za-z0-9-]+\.)+[A-Za-z]{2,4}$/;
