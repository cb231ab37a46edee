import { nextSteps } from './init.js';

test.each([
  ['linux', 'TRAWL_EGRESS_ALLOW=127.0.0.1:3001 trawl start'],
  ['win32', 'trawl start'],
] as const)(
  '`trawl init` prints commands that a shell of %s knows, and says what the skript needs',
  (platform, start) => {
    const [commands, needs] = nextSteps('Books', 'typescript', platform).split('\n\n');
    expect(commands?.split('\n')).toEqual(['cd "Books"', 'trawl test', 'trawl check', start]);
    expect(needs).toContain('practice shop');
    const crawlee = ['cd "Books"', 'npm install', 'trawl test', start];
    expect(nextSteps('Books', 'crawlee', platform).split('\n\n')).toEqual([crawlee.join('\n'), needs]);
    expect(nextSteps('Books', 'plain', platform)).toBe('cd "Books"\ntrawl test\ntrawl start');
  },
);
