/** The states of an issue. A failure opens a resolved issue again; a muted one stays muted. */
export const ISSUE_STATUSES = ['open', 'muted', 'resolved'] as const;
export type IssueStatus = (typeof ISSUE_STATUSES)[number];
