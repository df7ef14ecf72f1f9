import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { projectPicture, readProjectGraph } from './project-picture.ts'

const root = resolve(import.meta.dirname, '../..')

test('the picture of the projects shows the graph of Nx', async () => {
  const picture = projectPicture(readProjectGraph(root))
  await expect(picture, 'out of date: run npm run reference').toMatchFileSnapshot(
    resolve(root, 'docs/images/projects.svg'),
  )
})

test('an arrow that follows from other arrows is left out, and an arrow of tests is dashed', () => {
  const dependencies = [
    { from: 'app', to: 'link', isOfTests: false },
    { from: 'app', to: 'codec', isOfTests: false },
    { from: 'link', to: 'codec', isOfTests: false },
    { from: 'app', to: 'fake', isOfTests: true },
  ]
  const picture = projectPicture({ projects: ['app', 'codec', 'fake', 'link'], dependencies })
  expect(picture.match(/<path d=/g)).toHaveLength(2)
  expect(picture.match(/<path class="tests"/g)).toHaveLength(1)
  expect(picture.match(/<rect /g)).toHaveLength(4)
})
