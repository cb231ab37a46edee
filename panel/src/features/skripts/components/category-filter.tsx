import { SearchSelect } from '../../../components/selects/search-select.js';
import { inReadingOrder } from '../../../components/values/in-reading-order.js';
import { useCategories } from '../api/list-categories.js';

interface CategoryFilterProps {
  /** The chosen category; empty for all. */
  value: string;
  onChange: (category: string | null) => void;
}

/** Select that limits a list to the skripts of one category. */
export function CategoryFilter({ value, onChange }: CategoryFilterProps) {
  const categories = useCategories();
  const choice = (category: string) => ({ value: category, label: inReadingOrder(category) });
  return (
    <SearchSelect
      size="sm"
      w={{ base: '100%', sm: 200 }}
      aria-label="Category"
      placeholder="All categories"
      nothingFoundMessage="No category of this name"
      clearable
      clearButtonProps={{ 'aria-label': 'Show all categories' }}
      choices={categories.data?.map(choice) ?? []}
      chosen={value === '' ? undefined : choice(value)}
      value={value || null}
      onChange={onChange}
      source={categories}
    />
  );
}
