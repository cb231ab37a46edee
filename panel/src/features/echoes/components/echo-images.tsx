import { Skeleton } from '@mantine/core';
import { type Action, isLive } from '@trawl/contracts';
import { Link } from 'react-router';
import { ErrorState } from '../../../components/feedback/states.js';
import { TimeText } from '../../../components/values/time-text.js';
import { useEchoes } from '../api/list-echoes.js';
import { isRasterImage } from '../echo-image.js';

/** Number of images that are loaded at once, because each may be large. */
const SHOWN = 12;
/** How often the images of a live run are read again. */
const REFRESH_MS = 5_000;

interface EchoImagesProps {
  executionId: string;
  action: Action;
  /** Path of the echoes of the type image, which has all images. */
  allHref: string;
}

/** The first images that a run has echoed, such as screenshots. */
export function EchoImages({ executionId, action, allHref }: EchoImagesProps) {
  const query = useEchoes(
    { execution_id: executionId, type: 'image', limit: SHOWN },
    isLive(action) ? REFRESH_MS : undefined,
  );
  const images = (query.data?.items ?? []).filter(({ msg }) => isRasterImage(msg));
  const hasMore = Boolean(query.data?.next_after_seq);
  return (
    <section className="card result" aria-label="Images" aria-busy={query.isPending}>
      <h2>Images</h2>
      {query.isError && !query.data ? (
        <ErrorState what="The images could not be loaded" error={query.error} onRetry={() => query.refetch()} />
      ) : query.isPending ? (
        <Skeleton height={120} />
      ) : images.length === 0 && !hasMore ? (
        <p>
          This run {isLive(action) ? 'has echoed no images yet' : 'echoed no images'}. <code>echo.image</code> shows one
          here, such as a screenshot.
        </p>
      ) : (
        <ul className="echo-images">
          {images.map(({ seq, msg, time }) => (
            <li key={seq}>
              <a href={msg} download={`echo-${seq}`}>
                <img src={msg} alt={`Echo ${seq}`} loading="lazy" />
                <span>
                  Echo {seq}, <TimeText iso={time} as="clock" />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <p>
          Later echoes may have more.{' '}
          <Link className="link" to={allHref}>
            Show all images among the echoes
          </Link>
        </p>
      )}
    </section>
  );
}
