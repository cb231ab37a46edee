// @ts-check

const KINDS = /** @type {const} */ ([
  ['major', 'Breaking changes'],
  ['minor', 'New'],
  ['patch', 'Fixes'],
]);

/**
 * @typedef {object} Changeset
 * @property {string} summary
 * @property {{ name: string, type: string }[]} releases
 */

/**
 * Returns a changelog with a section for a new version, which lists each changeset under its largest kind of change.
 * @param {string} changelog
 * @param {{ version: string, day: string, changesets: Changeset[] }} release
 */
export function withRelease(changelog, { version, day, changesets }) {
  const parts = KINDS.flatMap(([type, title], rank) => {
    const isLargest = (/** @type {Changeset} */ { releases }) =>
      releases.some(release => release.type === type) &&
      !KINDS.slice(0, rank).some(([larger]) => releases.some(release => release.type === larger));
    const lines = changesets.filter(isLargest).map(({ summary }) => `- ${summary.trim().replace(/\n(?=.)/g, '\n  ')}`);
    return lines.length > 0 ? [`### ${title}`, lines.join('\n')] : [];
  });
  const section = [`## ${version} – ${day}`, ...parts].join('\n\n');
  const at = changelog.indexOf('\n## ');
  const [head, rest] = at === -1 ? [changelog, ''] : [changelog.slice(0, at), changelog.slice(at)];
  return `${head.trimEnd()}\n\n${section}\n${rest}`;
}
