import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The result of building a Dockerfile target. */
export interface Image {
  readonly environment: Readonly<Record<string, string>>
  readonly workingFolder: string
  readonly user: string
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  readonly copies: readonly { readonly from: string; readonly to: string; readonly isBuilt: boolean }[]
}

/**
 * Reads a Dockerfile like an image builder, but supports only what the files of the repository need. A target inherits
 * from its base.
 */
export function readImage(dockerfile: string, target: string): Image {
  const stages = new Map<string, Image>()
  let name = ''
  let image = EMPTY
  for (const { keyword, rest } of instructions(readFileSync(dockerfile, 'utf8'))) {
    if (keyword === 'FROM') {
      const [, base = '', as = ''] = /^(?:--\S+ )?(\S+) AS (\S+)$/.exec(rest) ?? []
      name = as
      image = stages.get(base) ?? EMPTY
    }
    image = withInstruction(image, keyword, rest)
    stages.set(name, image)
  }
  const found = stages.get(target)
  if (found === undefined) throw new Error(`${dockerfile} has no target ${target}`)
  return found
}

/** Copies the files of the COPY lines. `built`: the folder that is used as `/out` of the build stage. */
export function layOut(image: Image, root: string, places: { readonly context: string; readonly built: string }): void {
  for (const { from, to, isBuilt } of image.copies) {
    if (isBuilt && MADE_BY_RUN.test(from)) continue
    const source = isBuilt ? join(places.built, from.replace(/^\/out\//, '')) : join(places.context, from)
    const target = to.endsWith('/') && !statSync(source).isDirectory() ? join(to, basename(from)) : to
    mkdirSync(join(root, dirname(target)), { recursive: true })
    cpSync(source, join(root, target), { recursive: true, verbatimSymlinks: true })
  }
}

/**
 * Files that RUN lines of the Dockerfile create: users and groups, empty folders, and the command `smsgw`. They are
 * needed only in a container.
 */
const MADE_BY_RUN = /^\/out\/(?:etc\/|data|secrets|smsgw-command)$/

const EMPTY: Image = { environment: {}, workingFolder: '/', user: 'root', command: [], healthCheck: [], copies: [] }

function instructions(text: string): { readonly keyword: string; readonly rest: string }[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, keyword, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return keyword === undefined || rest === undefined ? [] : [{ keyword, rest }]
  })
}

function withInstruction(image: Image, keyword: string, rest: string): Image {
  switch (keyword) {
    case 'ENV': {
      const pairs = rest.split(' ').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
      return { ...image, environment: { ...image.environment, ...Object.fromEntries(pairs) } }
    }
    case 'WORKDIR':
      return { ...image, workingFolder: rest }
    case 'USER':
      return { ...image, user: rest }
    case 'CMD':
      return { ...image, command: JSON.parse(rest) }
    case 'HEALTHCHECK':
      return { ...image, healthCheck: JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) }
    case 'COPY': {
      const words = rest.split(' ').filter((word) => !word.startsWith('--'))
      const to = words.pop() ?? ''
      const isBuilt = rest.includes('--from=build')
      return { ...image, copies: [...image.copies, ...words.map((from) => ({ from, to, isBuilt }))] }
    }
    default:
      return image
  }
}
