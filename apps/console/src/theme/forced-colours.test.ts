import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '..')

// Therefore the end-to-end tests check only the rules about colours with forced colours.
test('forced colours change only colours, outlines and borders, and neither hide nor move anything', () => {
  const rules = globSync('**/*.css', { cwd: SOURCES }).flatMap(
    (file) =>
      // Each rule of a style sheet begins in the first column.
      readFileSync(join(SOURCES, file), 'utf8').match(/^@media [^{]*forced-colors.*?^\}/gms) ?? [],
  )
  const properties = rules.flatMap((rule) => [...rule.matchAll(/^\s+([a-z-]+): [^{]*;$/gm)].map(([, name]) => name))
  expect(rules.length).toBeGreaterThan(1)
  expect(properties).toContain('outline')
  const allowed = /^(outline|border|color$|background$|fill$|stroke$|forced-color-adjust$)/
  expect(properties.filter((name) => !allowed.test(name ?? ''))).toEqual([])
})
