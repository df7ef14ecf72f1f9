import type { RepositoryTree, Rule } from '../repository-tree.ts'

/**
 * A code block whose info string names a file, such as ```` ```js docs/examples/send.mjs ````, must contain exactly
 * that file. `npm run reference` updates the blocks.
 */
export const documentsShowFiles: Rule = (tree) =>
  tree.files
    .filter((name) => name.endsWith('.md'))
    .flatMap((file) => {
      const text = tree.read(file)
      return blocksOfFiles(text)
        .filter(({ path, content }) => tree.files.includes(path) && tree.read(path) !== content)
        .map(({ path, index }) => ({
          file,
          line: text.slice(0, index).split('\n').length,
          problem: `shows an old version of ${path}: run npm run reference`,
        }))
    })

/** Returns the document with the current content of each file that it shows. */
export function withCurrentFiles(text: string, tree: Pick<RepositoryTree, 'read'>): string {
  return text.replace(BLOCK, (_, start: string, path: string) => `${start}${tree.read(path)}\`\`\``)
}

const BLOCK = /(^```\w+ (docs\/examples\/[\w.-]+)\n)([\s\S]*?)^```$/gm

function blocksOfFiles(text: string): { path: string; content: string; index: number }[] {
  return [...text.matchAll(BLOCK)].map(({ 2: path = '', 3: content = '', index }) => ({ path, content, index }))
}
