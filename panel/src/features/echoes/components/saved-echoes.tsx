import { Group } from '@mantine/core';
import {
  IconChevronLeft,
  IconChevronRight,
  IconChevronsLeft,
  IconChevronsRight,
  IconDownload,
} from '@tabler/icons-react';
import { ECHO_TYPES, type EchoType } from '@trawl/contracts';
import { ErrorState } from '../../../components/feedback/states.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { SearchField } from '../../../components/list/search-field.js';
import { useUrlParams } from '../../../components/list/url-params.js';
import { useDownloadEchoes } from '../api/download-echoes.js';
import { useEchoCount, useEchoes } from '../api/list-echoes.js';
import { contentOf } from '../console-content.js';
import { echoCount } from '../echo-count.js';
import { FIRST_PAGE, LAST_PAGE, NO_ECHO_FILTER, pageFrom } from '../echo-place.js';
import { EchoConsole } from './echo-console.js';
import { EchoTypeSelect } from './echo-type-select.js';
import { railMarks } from './error-rail.js';

const PAGE = 200;

/** Number of echoes shown above an error that the user jumps to. */
const ABOVE_ERROR = 10;
/** Errors that are marked along the scrollbar. */
const MARKED_ERRORS = 1_000;

const seqOf = (text: string): number | undefined => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined);

/** Saved echoes of a run with paging, search and download. Place and search are in the URL. */
export function SavedEchoes({ executionId }: { executionId: string }) {
  const params = useUrlParams();
  const type = (ECHO_TYPES.find(name => name === params.get('type')) ?? null) as EchoType | null;
  const contains = params.get('contains');
  const filter = { execution_id: executionId, type: type ?? undefined, contains: contains || undefined };
  const beforeSeq = seqOf(params.get('before_seq'));
  const query = useEchoes({
    ...filter,
    limit: PAGE,
    ...(beforeSeq === undefined ? { after_seq: seqOf(params.get('after_seq')) } : { before_seq: beforeSeq }),
  });
  const csv = useDownloadEchoes();
  const isFiltered = type !== null || contains !== '';
  const count = useEchoCount(filter, isFiltered);
  const page = query.data;
  const errors = useEchoes({ execution_id: executionId, type: 'error', limit: MARKED_ERRORS });
  const errorSeqs = errors.data?.items.map(({ seq }) => seq) ?? [];
  const shownSeq = seqOf(params.get('seq'));
  const nextError = errorSeqs.find(seq => seq > (shownSeq ?? 0)) ?? errorSeqs[0];
  /** Shows an error with the echoes around it, so without the filter. */
  const showError = (seq: number) =>
    params.go({ ...NO_ECHO_FILTER, ...pageFrom(Math.max(1, seq - ABOVE_ERROR)), seq: String(seq) });
  const [first, last] = [page?.items[0], page?.items.at(-1)];
  const isOnlyPage = page !== undefined && !page.next_before_seq && !page.next_after_seq;
  const places = [
    { label: 'First', Icon: IconChevronsLeft, isOff: !page?.next_before_seq, to: FIRST_PAGE },
    {
      label: 'Earlier',
      Icon: IconChevronLeft,
      isOff: !page?.next_before_seq,
      to: { ...FIRST_PAGE, before_seq: String(page?.next_before_seq ?? '') },
    },
    {
      label: 'Later',
      Icon: IconChevronRight,
      isOff: !page?.next_after_seq,
      to: { ...FIRST_PAGE, after_seq: String(page?.next_after_seq ?? '') },
    },
    {
      label: 'Last',
      Icon: IconChevronsRight,
      isOff: !page?.next_after_seq,
      to: LAST_PAGE,
    },
  ];

  return (
    <section className="card" aria-label="Saved echoes" aria-busy={query.isPending}>
      <div className="list-bar">
        <SearchField
          label="Search the text"
          value={contains}
          onChange={text => params.set({ ...FIRST_PAGE, contains: text })}
        />
        <EchoTypeSelect value={type} onChange={value => params.set({ ...FIRST_PAGE, type: value })} />
        {nextError !== undefined && (
          <FocusableButton variant="default" onClick={() => showError(nextError)}>
            {shownSeq === undefined ? 'First error' : 'Next error'}
          </FocusableButton>
        )}
        <FocusableButton
          variant="default"
          ml="auto"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={csv.isPending}
          onClick={() => csv.mutate(executionId)}
        >
          Download echoes
        </FocusableButton>
      </div>
      {query.isError && !page ? (
        <ErrorState
          inset
          what="The saved echoes could not be loaded"
          error={query.error}
          onRetry={() => query.refetch()}
        />
      ) : (
        <EchoConsole
          key={`${first?.seq} ${last?.seq}`}
          content={contentOf((page?.items ?? []).map(echo => ({ kind: 'echo', echo })))}
          startAtEnd={beforeSeq !== undefined}
          shownSeq={shownSeq}
          errors={{ marks: railMarks(errorSeqs, page?.total ?? 0), onPick: showError }}
          emptyText={
            query.isPending
              ? 'Loading the saved echoes…'
              : page?.next_after_seq
                ? 'No matching echoes in this part of the run. Choose Later to search on.'
                : isFiltered
                  ? 'No matching echoes. Clear the search or the type filter.'
                  : 'This run saved no echoes.'
          }
        />
      )}
      <div className="list-foot">
        <span className="tabular" aria-live="polite">
          {page
            ? echoCount({
                seqs: first && last ? { first: first.seq, last: last.seq } : null,
                total: page.total,
                matching: count.data?.matching ?? null,
                isCapped: count.data?.matching_capped ?? false,
              })
            : ' '}
        </span>
        <Group gap="xs">
          {!isOnlyPage &&
            places.map(({ label, Icon, isOff, to }) => (
              <FocusableButton
                key={label}
                size="xs"
                variant="default"
                leftSection={<Icon size={14} aria-hidden />}
                disabled={isOff}
                onClick={() => params.go(to)}
              >
                {label}
              </FocusableButton>
            ))}
        </Group>
      </div>
    </section>
  );
}
