/** Adds the check digit to twelve digits of a GTIN-13 (EAN-13, ISBN-13): weights 1 and 3 alternate, modulo 10. */
export function gtin13(firstTwelve: string): string {
  if (!/^\d{12}$/.test(firstTwelve))
    throw new RangeError(`a GTIN-13 starts with twelve digits; it is "${firstTwelve}"`);
  const sum = [...firstTwelve].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${firstTwelve}${(10 - (sum % 10)) % 10}`;
}
