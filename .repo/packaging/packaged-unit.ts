/**
 * Returns a unit of the repository with the paths of the package. Throws if a line to be replaced is missing. So a
 * changed unit cannot result in a wrong package.
 */
export function packagedUnit(unit: string): string {
  let text = unit
  for (const [what, replacement] of REPLACEMENTS) {
    if (!what.test(text)) throw new Error(`the unit has no line that matches ${what.source}`)
    text = text.replace(what, replacement)
  }
  return text
}

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [
    /^# .* See .*$|^# .* (?:says how|explains the installation).*$/m,
    '# Use `systemctl edit` for changes and /etc/smsgw for settings, because upgrades replace this file.',
  ],
  [/^Documentation=.*$/m, 'Documentation=man:smsgw(1)'],
  [/^WorkingDirectory=.*$/m, 'WorkingDirectory=/usr/lib/smsgw'],
  [/`npm (?:run (\w+)|start) -- --help`/, '`smsgw --help`'],
  [
    /^ExecStart=\/usr\/bin\/env node \.repo\/bootstrap\.cjs node((?: --\S+)*) apps\/(\w+)\/src\/main\.ts/m,
    'ExecStart=/usr/lib/smsgw/bin/node$1 /usr/lib/smsgw/$2/main.js',
  ],
]
