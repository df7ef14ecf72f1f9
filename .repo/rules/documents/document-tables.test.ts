import { expect, test } from 'vitest'
import { treeOfLiterals } from '../repository-tree.ts'
import { documentTables } from './document-tables.ts'

const check = (text: string, file = 'docs/page.md') =>
  documentTables(treeOfLiterals({ [file]: text })).map((violation) => `${violation.line}: ${violation.problem}`)

const HEADER = '| Command | What it does |\n|---|---|\n'

test('accepts rows with as many cells as the header', () => {
  expect(check(`${HEADER}| \`a\` | b |\n| \`a \\| b\` | c |\n\n| one |\n|---|\n| 1 |\n`)).toEqual([])
})

test.each([
  ['two rows on one line', '| a | b | | c | d |', '3: the row has 5 cells, the header has 2'],
  ['a missing cell', '| a |', '3: the row has 1 cells, the header has 2'],
  ['a row without its last bar', '| a', '3: the row has 1 cells, the header has 2'],
])('refuses %s', (_name, row, problem) => {
  expect(check(`${HEADER}${row}\n`)).toEqual([problem])
})

test('ignores code blocks and other files', () => {
  expect(check(`\`\`\`\n${HEADER}| a |\n\`\`\`\n`)).toEqual([])
  expect(check(`${HEADER}| a |\n`, 'src/page.ts')).toEqual([])
})
