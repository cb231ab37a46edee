import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fromRoot } from '../common/paths.mjs';
import { withRelease } from '../release/changelog.mjs';

const changeset = (summary: string, ...types: string[]) => ({
  summary,
  releases: types.map(type => ({ name: 'trawl-cli', type })),
});

it('a release becomes the first section of the changelog, with each change once, under its largest kind', () => {
  const before = '# Changelog\n\nAll packages.\n\n## 0.1.0 – 2026-01-01\n\n### New\n\n- All of it.\n';
  const changesets = [
    changeset('Mend a wait.', 'patch'),
    changeset('Add traces.\n\nSet a collector.', 'patch', 'minor'),
    changeset('Remove Node 20.', 'minor', 'major'),
    changeset('**Breaking:** Name the port.', 'minor'),
  ];
  expect(withRelease(before, { version: '1.0.0', day: '2026-11-22', changesets })).toBe(
    `# Changelog

All packages.

## 1.0.0 – 2026-11-22

### Breaking changes

- Remove Node 20.
- **Breaking:** Name the port.

### New

- Add traces.

  Set a collector.

### Fixes

- Mend a wait.

## 0.1.0 – 2026-01-01

### New

- All of it.
`,
  );
});

it('all packages of the repository have the same version', () => {
  const { version, workspaces } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
  const versions = workspaces
    .flatMap((room: string) =>
      room.endsWith('/*') ? readdirSync(fromRoot(room.slice(0, -2))).map(name => room.replace('*', name)) : [room],
    )
    .filter((room: string) => existsSync(fromRoot(room, 'package.json')))
    .map((room: string) => JSON.parse(readFileSync(fromRoot(room, 'package.json'), 'utf8')).version);
  expect(versions.length).toBeGreaterThan(15);
  expect(new Set(versions)).toEqual(new Set([version]));
});

it('the repository keeps data of each release, with which later versions test the upgrade', () => {
  const changelog = readFileSync(fromRoot('CHANGELOG.md'), 'utf8');
  const released = [...changelog.matchAll(/^## (\d\S*) /gm)].map(([, version]) => version);
  const kept = readdirSync(fromRoot('backend/test/releases'));
  expect(released.filter(version => !kept.includes(String(version)))).toEqual([]);
});
