import cronstrue from 'cronstrue';

/** Returns a cron span in words, such as `At 06:30, Monday through Friday`; '' for a span that has no words. */
export function spanWords(cronSpan: string): string {
  const fields = cronSpan.trim().split(/\s+/).length;
  // Trawl has no field for the year, which would be the seventh.
  if (fields < 5 || fields > 6) return '';
  try {
    return cronstrue.toString(cronSpan.trim(), { use24HourTimeFormat: true, verbose: false });
  } catch {
    return '';
  }
}
