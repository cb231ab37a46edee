/** Words for findings. */
export function percent(share: number): string {
  const percentage = share * 100;
  const digits = percentage > 0 && percentage < 1 ? 1 : percentage > 99 && percentage < 100 ? 1 : 0;
  return `${Number(percentage.toFixed(digits))} %`;
}

export function placeOf(target: string): string {
  if (target === 'dataset') return 'The dataset';
  const [store, name] = [target.slice(0, target.indexOf(':')), target.slice(target.indexOf(':') + 1)];
  return store === 'postgresql' ? `The table ${name}` : `The collection ${name}`;
}

export const amount = (value: number): string => String(Number(value.toPrecision(3)));
