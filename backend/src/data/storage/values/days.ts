/** Whether the ISO date with which a text begins exists. `Date` accepts the 31st of any month. */
export function isDay(text: string): boolean {
  const day = text.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
