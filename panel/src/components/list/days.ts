/** Returns midnight of a day such as `2026-11-20`, in the user's time zone, as an ISO time; undefined for ''. */
export function startOfDay(day: string): string | undefined {
  const at = new Date(`${day}T00:00`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** Returns the next day; '' for an invalid one. */
export function dayAfter(day: string): string {
  const at = new Date(`${day}T12:00Z`);
  if (Number.isNaN(at.getTime())) return '';
  at.setUTCDate(at.getUTCDate() + 1);
  return at.toISOString().slice(0, 10);
}
