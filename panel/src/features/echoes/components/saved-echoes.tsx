import { Group, Select } from '@mantine/core';
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
import { echoCount } from '../echo-count.js';
import { EchoConsole } from './echo-console.js';

const PAGE = 200;
/** As `before_seq` it gets the last page: the greatest number that the API accepts. */
const AFTER_ALL = 2_147_483_647;

/** URL parameters of the place in the echoes of a run. */
const FIRST_PAGE = { after_seq: null, before_seq: null };

/** Clears the URL parameters of this view, for another run. */
export const NO_ECHO_FILTER = { ...FIRST_PAGE, type: null, contains: null };

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
  const [first, last] = [page?.items[0], page?.items.at(-1)];
  const places = [
    { label: 'First', Icon: IconChevronsLeft, isOff: !page?.next_before_seq, to: FIRST_PAGE },
    {
      label: 'Earlier',
      Icon: IconChevronLeft,
      isOff: !page?.next_before_seq,
      to: { after_seq: null, before_seq: String(page?.next_before_seq ?? '') },
    },
    {
      label: 'Later',
      Icon: IconChevronRight,
      isOff: !page?.next_after_seq,
      to: { after_seq: String(page?.next_after_seq ?? ''), before_seq: null },
    },
    {
      label: 'Last',
      Icon: IconChevronsRight,
      isOff: !page?.next_after_seq,
      to: { after_seq: null, before_seq: String(AFTER_ALL) },
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
        <Select
          w={132}
          size="sm"
          aria-label="Type of echo"
          placeholder="All types"
          clearable
          data={[...ECHO_TYPES]}
          value={type}
          onChange={value => params.set({ ...FIRST_PAGE, type: value })}
        />
        <FocusableButton
          variant="default"
          ml="auto"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={csv.isPending}
          onClick={() => csv.mutate(executionId)}
        >
          Download CSV
        </FocusableButton>
      </div>
      {query.isError && !page ? (
        <ErrorState
          what="The saved echoes could not be loaded"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <EchoConsole
          key={first?.seq ?? 'none'}
          lines={(page?.items ?? []).map(echo => ({ kind: 'echo', echo }))}
          follow={false}
          startAtEnd={beforeSeq !== undefined}
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
          {places.map(({ label, Icon, isOff, to }) => (
            <FocusableButton
              key={label}
              size="xs"
              variant="default"
              leftSection={<Icon size={14} aria-hidden />}
              disabled={isOff}
              onClick={() => params.set(to)}
            >
              {label}
            </FocusableButton>
          ))}
        </Group>
      </div>
    </section>
  );
}
