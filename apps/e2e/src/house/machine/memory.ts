import { readdirSync, readFileSync } from 'node:fs'

interface Memory {
  readonly pid: number
  readonly command: string
  readonly residentMiB: number
  /** The share of shared memory. Shared memory is divided among the processes that share it. */
  readonly shareMiB: number
}

/** Returns the memory of a process and of its descendants, with the process itself first. */
function memoryOf(pid: number): readonly Memory[] {
  const parents = parentsOfAll()
  const tree = [pid]
  for (const each of tree) tree.push(...parents.filter(({ parent }) => parent === each).map(({ pid: child }) => child))
  return tree.flatMap((each) => measured(each) ?? [])
}

/**
 * Returns the memory of a gateway: all memory of its own process, and the proportional share of each PostgreSQL
 * process, because these share most of their memory.
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

/** Returns the descendant with these words in its command line, such as the program that `npm start` runs. */
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
    return undefined // the process has ended
  }
}

function parentsOfAll(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The format is `pid (name) state parent …`. The name may contain any characters, even parentheses.
        const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
        return [{ pid: Number(name), parent: Number(parent) }]
      } catch {
        return []
      }
    })
}
