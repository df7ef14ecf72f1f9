import { expect, test } from 'vitest'
import { treeOfLiterals } from '../repository-tree.ts'
import { documentsShowFiles, withCurrentFiles } from './documents-show-files.ts'

const tree = (page: string) => treeOfLiterals({ 'docs/examples/send.mjs': 'send()\n', 'docs/page.md': page })
const page = (code: string) => `# Page\n\n\`\`\`js docs/examples/send.mjs\n${code}\`\`\`\n\n\`\`\`sh\nls\n\`\`\`\n`

test('accepts a block that contains its file, and blocks without a file', () => {
  expect(documentsShowFiles(tree(page('send()\n')))).toEqual([])
})

test.each(['send(1)\n', ''])('refuses a block with other content: %j', (code) => {
  expect(documentsShowFiles(tree(page(code)))).toEqual([
    { file: 'docs/page.md', line: 3, problem: 'shows an old version of docs/examples/send.mjs: run npm run reference' },
  ])
})

test('updates each block and changes nothing else', () => {
  expect(withCurrentFiles(page(''), tree(''))).toBe(page('send()\n'))
})
