import { QUICK_SELECT } from '@site/content/forms';
import countriesByCode from 'countries-list/minimal/countries.en.min.json';

const byName = new Intl.Collator('en').compare;

/** English names. */
export const ALL_COUNTRIES: string[] = Object.values(countriesByCode).sort(byName);
export const QUICK_COUNTRIES: string[] = QUICK_SELECT.map(code => countriesByCode[code]);
