import { keepPreviousData, queryOptions, skipToken, useQuery } from '@tanstack/react-query';
import type { IssueStatus } from '@trawl/contracts';
import { api, unwrap } from '../../../api/client.js';
import type { Issue } from '../../../api/entities.js';
import { useChange } from '../../../components/feedback/use-change.js';

const ISSUES_KEY = ['issues'];
/** The live socket sends no updates of issues. */
const REFRESH_MS = 5_000;

interface IssuesQuery {
  limit: number;
  skip: number;
  sort: string;
  skript_id?: string;
  status?: IssueStatus;
}

interface AllIssuesQuery extends IssuesQuery {
  user_id?: string;
}

const issuesQuery = (query: IssuesQuery) =>
  queryOptions({
    queryKey: [...ISSUES_KEY, 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/issues/list', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useIssues = (query: IssuesQuery) => useQuery(issuesQuery(query));

const allIssuesQuery = (query: AllIssuesQuery) =>
  queryOptions({
    queryKey: [...ISSUES_KEY, 'all', query],
    queryFn: ({ signal }) => unwrap(api.GET('/joint-api/issues/list-all', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

/** The issues of all accounts, for administrators. */
export const useAllIssues = (query: AllIssuesQuery) => useQuery(allIssuesQuery(query));

/** Does nothing without an id. */
const issueQuery = (issueId: string | null) =>
  queryOptions({
    queryKey: [...ISSUES_KEY, 'one', issueId],
    queryFn:
      issueId === null
        ? skipToken
        : ({ signal }) =>
            unwrap(api.GET('/joint-api/issues/{issue_id}', { params: { path: { issue_id: issueId } }, signal })),
  });

export const useIssue = (issueId: string | null) => useQuery(issueQuery(issueId));

const DONE: Record<IssueStatus, string> = {
  open: 'The issue is open again.',
  muted: 'The issue is muted. It counts further failures and stays muted.',
  resolved: 'The issue is resolved. The next failure opens it again.',
};

export const useSetIssueStatus = (status: IssueStatus) =>
  useChange({
    send: ({ id }: Issue) =>
      unwrap(api.PUT('/joint-api/issues/{issue_id}', { params: { path: { issue_id: id } }, body: { status } })),
    reload: [ISSUES_KEY],
    done: () => DONE[status],
    failed: 'The status of the issue could not be changed',
  });
