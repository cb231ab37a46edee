import { AccountShares } from './account-shares.js';

class SharingProcess {
  changes = 0;
  current = 1;

  share(share: number): void {
    this.changes += 1;
    this.current = share;
  }
}

const begin = (shares: AccountShares, owner: string, count: number) =>
  Array.from({ length: count }, () => {
    const process = new SharingProcess();
    shares.add(owner, process);
    return process;
  });
const sumOf = (processes: SharingProcess[]) => processes.reduce((sum, { current }) => sum + current, 0);

test('an account with many runs gets at most twice the processor time of an account with one run', () => {
  const shares = new AccountShares();
  for (const count of [2, 3, 50, 200]) {
    const many = begin(shares, `account with ${count} runs`, count);
    const [one] = begin(shares, `account beside ${count} runs`, 1);
    expect(sumOf(many) / (one?.current ?? 0)).toBeLessThanOrEqual(2);
    expect(new Set(many.map(({ current }) => current)).size).toBe(1);
  }
});

test('a process that is being started has a larger share of the processor than those of runs', () => {
  const [run] = begin(new AccountShares(), 'account', 1);
  expect(run?.current).toBeLessThan(new SharingProcess().current);
});

test('when runs of an account end, its remaining runs get a larger share of the processor', () => {
  const shares = new AccountShares();
  const runs = begin(shares, 'account', 64);
  for (const run of runs.splice(1)) shares.remove('account', run);
  const [other] = begin(shares, 'another account', 1);
  expect(runs[0]?.current).toBe(other?.current);
});

test('runs that begin and end in turn do not change the processor shares of the account’s other runs', () => {
  const shares = new AccountShares();
  const runs = begin(shares, 'account', 64);
  const before = runs[0]?.changes;
  for (let n = 0; n < 100; n += 1) {
    shares.remove('account', runs.pop() as SharingProcess);
    runs.push(...begin(shares, 'account', 1));
  }
  expect(runs[0]?.changes).toBe(before);
});
