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

/** Spans to begin with. */
export const COMMON_SPANS = [
  { label: 'Every hour', span: '0 * * * *' },
  { label: 'Every day', span: '30 6 * * *' },
  { label: 'Weekdays', span: '30 6 * * MON-FRI' },
  { label: 'Every week', span: '30 6 * * MON' },
  { label: 'Every month', span: '30 6 1 * *' },
] as const;
