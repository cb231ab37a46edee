/** Spans to begin with. */
export const COMMON_SPANS = [
  { label: 'Every 5 minutes', span: '*/5 * * * *' },
  { label: 'Every 15 minutes', span: '*/15 * * * *' },
  { label: 'Every 30 minutes', span: '*/30 * * * *' },
  { label: 'Every hour', span: '0 * * * *' },
  { label: 'Every day', span: '30 6 * * *' },
  { label: 'Weekdays', span: '30 6 * * MON-FRI' },
  { label: 'Every week', span: '30 6 * * MON' },
  { label: 'Every month', span: '30 6 1 * *' },
] as const;
