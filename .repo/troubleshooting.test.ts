import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { treeOfWorkingCopy } from './rules/repository-tree.ts'

const tree = treeOfWorkingCopy(resolve(import.meta.dirname, '..'))
const page = tree.read('docs/troubleshooting.md')
/** Returns the first cells of the tables, which are the messages that a person sees. `…` replaces a value. */
const messages = [...page.matchAll(/^\| `(.+?)` \|/gm)].map(([, message = '']) => message)
const source = tree.files
  .filter((file) => /^(?:apps\/(?:relay|agent|bridge|gateway|daemon)|libs\/\w+)\/src\/.*(?<!\.test)\.ts$/.test(file))
  .map((file) => tree.read(file).replace(/['"`]\s*\+\s*['"`]/g, ''))
  .join('\n')

test('the page explains messages', () => {
  expect(messages.length).toBeGreaterThan(15)
})

test.each(messages)('a program still prints "%s"', (message) => {
  const parts = message.split('…').map((part) => part.trim())
  expect(parts.filter((part) => part.length > 3 && !source.includes(part))).toEqual([])
})

test('messages are sorted within each table', () => {
  for (const section of page.split(/^## /m)) {
    const listed = [...section.matchAll(/^\| `(.+?)` \|/gm)].map(([, message = '']) => message)
    expect(listed).toEqual(listed.toSorted((one, other) => one.localeCompare(other, 'en', { sensitivity: 'base' })))
  }
})
