import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Release {
  suite: string;
  component: string;
  keyring: string;
}

/** For each distribution, the first release with glibc 2.38 or newer. */
const RELEASES: Record<string, Release> = {
  debian: { suite: 'trixie', component: 'main', keyring: '/usr/share/keyrings/debian-archive-keyring.gpg' },
  ubuntu: { suite: 'noble', component: 'main', keyring: '/usr/share/keyrings/ubuntu-archive-keyring.gpg' },
};

/** Returns the newer release of this machine's distribution; undefined for systems other than Debian and Ubuntu. */
export function newerRelease(): Release | undefined {
  return RELEASES[distributionId()];
}

function distributionId(): string {
  if (!existsSync('/etc/os-release')) return '';
  const field = /^ID="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'));
  return field?.[1] ?? '';
}

/** Returns the line of a sources.list for a release, with the mirror that this machine's apt uses. */
export async function sourceOf({ suite, component, keyring }: Release): Promise<string> {
  if (!existsSync(keyring)) throw new Error(`apt needs the keyring ${keyring} to check packages, and it is missing`);
  return `deb [signed-by=${keyring}] ${await mirror()} ${suite} ${component}`;
}

/** Returns the mirror from which this machine's apt gets the main archive of the distribution. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', [
    'indextargets',
    '--format',
    '$(ORIGIN) $(REPO_URI)',
    'Created-By: Packages',
  ]);
  const lines = stdout.split('\n').filter(line => line.trim() && !line.includes('security'));
  const own = lines.find(line => /^(Debian|Ubuntu) /.test(line)) ?? lines[0];
  const address = own?.split(' ').at(-1);
  if (!address) throw new Error('apt has no package source');
  return address;
}
