import { Progress } from '@mantine/core';

const NEARLY_FULL_SHARE = 0.8;

/** Returns how urgent it is that a quota has little left. A quota of one is full as soon as it is used, as intended. */
export function quotaState(used: number, limit: number): 'free' | 'nearly full' | 'full' {
  if (limit === 1 || used < NEARLY_FULL_SHARE * limit) return 'free';
  return used < limit ? 'nearly full' : 'full';
}

const COLORS = { free: 'sea', 'nearly full': 'yellow', full: 'red' };

/** Shows how much of a quota is used. */
export function QuotaBar({ used, limit, label }: { used: number; limit: number; label: string }) {
  return (
    <Progress
      mt={4}
      size="sm"
      value={Math.min(100, (used / Math.max(1, limit)) * 100)}
      color={COLORS[quotaState(used, limit)]}
      aria-label={label}
    />
  );
}
