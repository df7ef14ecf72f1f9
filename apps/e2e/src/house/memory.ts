import { readdirSync, readFileSync } from 'node:fs'

interface Memory {
  readonly pid: number
  readonly command: string
  readonly residentMiB: number
  /** What several share is divided among them. */
  readonly shareMiB: number
}

/** A process and all that it has started, itself first. */
function memoryOf(pid: number): readonly Memory[] {
  const parents = parentsOfAll()
  const tree = [pid]
  for (const each of tree) tree.push(...parents.filter(({ parent }) => parent === each).map(({ pid: child }) => child))
  return tree.flatMap((each) => measured(each) ?? [])
}

/**
 * What a gateway takes on a box where nothing else runs: all of its own process, and of PostgreSQL's many, which share
 * most of theirs, each one's share.
 */
export function gatewayMemory(pid: number): { readonly ownMiB: number; readonly databaseMiB: number } {
  const [own, ...database] = memoryOf(pid)
  return {
    ownMiB: Math.round(own?.residentMiB ?? 0),
    databaseMiB: Math.round(database.reduce((sum, { shareMiB }) => sum + shareMiB, 0)),
  }
}

export function residentMiB(pid: number): number {
  return measured(pid)?.residentMiB ?? Number.NaN
}

/** The process below it whose command line holds these words: what `npm start` runs in the end. */
export function descendant(pid: number, words: string): number | undefined {
  return memoryOf(pid).findLast(({ command }) => command.includes(words))?.pid
}

function measured(pid: number): Memory | undefined {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const miB = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
    return { pid, command, residentMiB: miB('Rss'), shareMiB: miB('Pss') }
  } catch {
    return undefined // it has ended meanwhile
  }
}

function parentsOfAll(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // pid (name) state parent …; the name may hold anything, parentheses too.
        const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
        return [{ pid: Number(name), parent: Number(parent) }]
      } catch {
        return []
      }
    })
}
