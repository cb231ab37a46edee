/** Spans to begin with. */
export const COMMON_SPANS = [
  { label: 'Every hour', span: '0 * * * *' },
  { label: 'Every day', span: '30 6 * * *' },
  { label: 'Weekdays', span: '30 6 * * MON-FRI' },
  { label: 'Every week', span: '30 6 * * MON' },
  { label: 'Every month', span: '30 6 1 * *' },
] as const;
