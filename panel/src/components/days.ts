/** When a day such as `2026-11-20` begins in the reader's zone, as the API takes it; undefined for none. */
export function startOfDay(day: string): string | undefined {
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The day after it; '' for none. */
export function dayAfter(day: string): string {
  const at = new Date(`${day}T12:00Z`);
  if (Number.isNaN(at.getTime())) return '';
  at.setUTCDate(at.getUTCDate() + 1);
  return at.toISOString().slice(0, 10);
}
