import { ActionIcon } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import type { ListedSkript } from '../../../api/entities.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useSwitchFavourite } from '../api/label-skript.js';

/** Star that makes a skript a favourite, which lists show first. */
export function FavouriteButton({ skript }: { skript: ListedSkript }) {
  const change = useSwitchFavourite();
  const isFavourite = change.isPending ? !skript.favourite : skript.favourite;
  const Icon = isFavourite ? IconStarFilled : IconStar;
  return (
    <ActionIcon
      className="favourite"
      variant="subtle"
      color="gray"
      size="sm"
      aria-pressed={isFavourite}
      aria-label={`Favourite: ${inReadingOrder(skript.title)}`}
      onClick={() => change.mutate(skript)}
    >
      <Icon size={16} aria-hidden />
    </ActionIcon>
  );
}
