/** `null` → `–`, `850` → `0.85 s`, `65_000` → `1 min 5 s`, `7_380_000` → `2 h 3 min`. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 60) return `${Number(seconds.toPrecision(2))} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
