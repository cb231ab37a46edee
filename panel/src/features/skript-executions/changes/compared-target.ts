import { inReadingOrder } from '../../../components/values/in-reading-order.js';

/** The target of rows of `dataset.push` in a comparison. */
export const DATASET = 'dataset';

/** Names a target of a comparison, such as `mongodb:books`, as people read it. */
export function comparedTarget(target: string): string {
  if (target === DATASET) return 'Dataset';
  const [store] = target.split(':', 1);
  const name = target.slice(`${store}:`.length);
  return `${inReadingOrder(name)} (${store === 'mongodb' ? 'MongoDB' : 'PostgreSQL'})`;
}
