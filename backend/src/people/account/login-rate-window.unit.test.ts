import { LoginRateWindow } from './login-rate-window.js';

describe('the rate window of logins', () => {
  it('keeps at most the given number of keys, and drops others', () => {
    const window = new LoginRateWindow(1, 1_000, 3);
    for (const key of ['a', 'b', 'c', 'd', 'e']) window.take(key);
    expect(window.size).toBeLessThanOrEqual(3);
    expect(window.take('e')).toBeGreaterThan(0);
  });
});
