import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { LOSS_MESSAGES } from '../admissions.ts'

const source = resolve(import.meta.dirname, '../..')
/** The beginning of a message, after the arguments before it. */
const MESSAGE = /(?:new ApiError\(\s*\d+,|unauthorised\(\s*'[a-z ]+',|\btooMany\()\s*['`]([^'` ]+ [^'`]{1,40})/g
/** The message of the API contract for a missing scope, and names of members, which keep their spelling. */
const IN_LOWER_CASE = /^(?:scope required: |currentPassword is |id is )/

test('every error sentence begins with an upper-case letter', () => {
  const messages = globSync('**/*.ts', { cwd: source })
    .filter((file) => !/\.test\.ts$|testing\//.test(file))
    .flatMap((file) => [...readFileSync(resolve(source, file), 'utf8').matchAll(MESSAGE)])
    .map(([, message = '']) => message)
  expect(messages.length).toBeGreaterThan(100)
  const sentences = [...messages, ...Object.values(LOSS_MESSAGES)]
  expect(sentences.filter((sentence) => /^[a-z]/.test(sentence) && !IN_LOWER_CASE.test(sentence))).toEqual([])
})
