const UNRELEASED = '## Unreleased'

/** Returns the reason why the changelog does not describe a release of this version, or undefined. */
export function changelogProblem(changelog: string, version: string): string | undefined {
  const section = sectionOf(changelog, version)
  if (section === undefined) return `CHANGELOG.md has no section "## ${version} – <date>"`
  if (!/^[-*] /m.test(section)) return `the section of ${version} in CHANGELOG.md lists no change`
  return undefined
}

/** Returns the text below the heading of a version, which is the text of the release. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} – \\d{4}-\\d\\d-\\d\\d$`, 'm').exec(changelog)
  if (heading === null) return undefined
  const [section = ''] = changelog.slice(heading.index + heading[0].length).split(/^## /m)
  return section.trim()
}

/**
 * Moves the unreleased changes below the number and the date of a release, and leaves an empty section for later
 * changes.
 */
export function releaseChanges(changelog: string, version: string, date: string): string {
  if (!changelog.includes(`${UNRELEASED}\n`)) throw new Error(`CHANGELOG.md has no section "${UNRELEASED}"`)
  return changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## ${version} – ${date}\n`)
}
