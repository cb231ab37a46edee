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
 * Before 1.0.0, a breaking change raises only the minor version, so a changeset also says it in words: `**Breaking:**`.
 * @param {string} changelog
 * @param {{ version: string, day: string, changesets: Changeset[] }} release
 */
export function withRelease(changelog, { version, day, changesets }) {
  const parts = KINDS.flatMap(([, title], rank) => {
    const lines = changesets
      .filter(changeset => rankOf(changeset) === rank)
      .map(({ summary }) => `- ${summary.trim().replace(/\n(?=.)/g, '\n  ')}`);
    return lines.length > 0 ? [`### ${title}`, lines.join('\n')] : [];
  });
  const section = [`## ${version} – ${day}`, ...parts].join('\n\n');
  const at = changelog.indexOf('\n## ');
  const [head, rest] = at === -1 ? [changelog, ''] : [changelog.slice(0, at), changelog.slice(at)];
  return `${head.trimEnd()}\n\n${section}\n${rest}`;
}

/** @param {Changeset} changeset */
function rankOf({ summary, releases }) {
  if (summary.includes('**Breaking:**')) return 0;
  return KINDS.findIndex(([type]) => releases.some(release => release.type === type));
}
