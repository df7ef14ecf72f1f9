import { expect, test } from 'vitest'
import { treeOfLiterals } from './repository-tree.ts'
import { WIDE_PARAMETERS, wideParameters } from './wide-parameters.ts'

const file = 'apps/a/src/mail.ts'
const withFields = (count: number, name = 'MailOptions') =>
  `export interface ${name} {\n${Array.from({ length: count }, (_, at) => `  readonly field${at}: { readonly inner: string }\n`).join('')}}\n`
const listed = (fields: number, why = 'each field is one setting') => ({
  [WIDE_PARAMETERS]: JSON.stringify({ [`${file} MailOptions`]: { fields, why } }),
})
const problems = (contents: Record<string, string>) => wideParameters(treeOfLiterals(contents))

test('parameters may have ten fields', () => {
  expect(problems({ [file]: withFields(10) })).toEqual([])
  expect(problems({ [file]: `\n${withFields(11)}` })).toMatchObject([{ file, line: 2 }])
})

test('optional fields and methods count, comments and inner fields do not', () => {
  const body = `  /** A comment: with a colon. */\n  close?(): void\n  readonly name?: string\n  inner: {\n    one: string\n  }\n`
  expect(problems({ [file]: `interface MailDeps {\n${body}}\n${withFields(10)}` })).toEqual([])
  expect(problems({ [file]: `interface MailDeps {\n${body.repeat(4)}}\n` })).toMatchObject([{ file, line: 1 }])
})

test('interfaces that describe data are not counted', () => {
  expect(problems({ [file]: withFields(20, 'MailRow') })).toEqual([])
})

test('a listed interface may have the listed number of fields, and no more', () => {
  expect(problems({ [file]: withFields(12), ...listed(12) })).toEqual([])
  expect(problems({ [file]: withFields(13), ...listed(12) })).toMatchObject([{ file, line: 1 }])
})

test('an entry needs a reason and an interface, and is lowered or removed when the interface becomes smaller', () => {
  for (const contents of [
    { [file]: withFields(12), ...listed(12, '') },
    { [file]: withFields(11), ...listed(12) },
    { [file]: withFields(10), ...listed(10) },
    { [file]: '', ...listed(12) },
  ])
    expect(problems(contents)).toMatchObject([{ file: WIDE_PARAMETERS }])
})
