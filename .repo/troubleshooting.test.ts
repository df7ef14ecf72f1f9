import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { treeOfWorkingCopy } from './rules/repository-tree.ts'

const tree = treeOfWorkingCopy(resolve(import.meta.dirname, '..'))
const page = tree.read('docs/troubleshooting.md')
/** Returns the first cells of the tables, which are the messages that a person sees. `…` replaces a value. */
const messages = [...page.matchAll(/^\| `(.+?)` \|/gm)].map(([, message = '']) => message)
/** Returns the texts in the first cells of the table with the reasons why a message failed. */
const [, failures = ''] = /^## Why a message failed$(.+?)^## /ms.exec(tree.read('docs/api.md')) ?? []
const reasons = [...failures.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`(.+?)`/g)].map(([, reason = '']) => reason),
)
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

test('the API guide explains why messages fail', () => {
  expect(reasons.length).toBeGreaterThan(10)
})

test.each(reasons)('a message still fails with "%s"', (reason) => {
  // Examples of values, which the source does not contain: numbers, and the name of an encrypted field.
  const parts = reason.split(/…|\d+(?:\/\d+)?|textMessage\.text/).map((part) => part.trim())
  expect(parts.filter((part) => part.length > 3 && !source.includes(part))).toEqual([])
})

test('messages are sorted within each table', () => {
  for (const section of page.split(/^## /m)) {
    const listed = [...section.matchAll(/^\| `(.+?)` \|/gm)].map(([, message = '']) => message)
    expect(listed).toEqual(listed.toSorted((one, other) => one.localeCompare(other, 'en', { sensitivity: 'base' })))
  }
})
