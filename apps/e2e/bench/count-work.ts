// Loaded into a program with `node --import` by bench-box: counts what the program does, in each thread, and writes the
// sums to COUNT_WORK_FOLDER every 200 ms. It slows the program down, so times are not measured while it counts.
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { MessagePort, threadId, Worker } from 'node:worker_threads'
import pg from 'pg'

const folder = process.env['COUNT_WORK_FOLDER']
const bySite = process.env['COUNT_WORK_SITES'] !== undefined
if (folder !== undefined) {
  const counts: Record<string, number> = {}
  countCalls(counts)
  const write = () => writeFileSync(join(folder, `${process.pid}-${threadId}.json`), JSON.stringify(counts))
  setInterval(write, 200).unref()
}

function countCalls(counts: Record<string, number>): void {
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const around = <First>(owner: object, method: string, nameOf: (first: First) => string) => {
    const original: unknown = Reflect.get(owner, method)
    if (typeof original !== 'function') throw new Error(`there is no method ${method} to count`)
    Reflect.set(owner, method, function (this: unknown, ...args: readonly [First, ...unknown[]]) {
      const name = nameOf(args[0])
      count(name)
      if (bySite && !name.startsWith('SQL ')) count(`${name} from ${siteOf()}`)
      return Reflect.apply(original, this, args)
    })
  }
  around(pg.Client.prototype, 'query', (query: string | { text: string }) => `SQL ${headOf(textOf(query))}`)
  around(DatabaseSync.prototype, 'exec', (sql: string) => `journal ${headOf(sql)}`)
  for (const method of ['run', 'get', 'all', 'iterate']) {
    around(StatementSync.prototype, method, () => 'journal statement')
  }
  around(Worker.prototype, 'postMessage', () => 'post between threads')
  around(MessagePort.prototype, 'postMessage', () => 'post between threads')
  around(Socket.prototype, '_writeGeneric', () => 'socket write')
  around(JSON, 'stringify', () => 'JSON.stringify')
  around(JSON, 'parse', () => 'JSON.parse')
  around(globalThis, 'setTimeout', () => 'timer')
}

/** Returns the two innermost callers of the counted function, with file and line. */
function siteOf(): string {
  const frames = (new Error('site').stack ?? '').split('\n').slice(3)
  const outside = frames.filter((frame) => !frame.includes('count-work') && !frame.includes('node:internal'))
  return outside
    .slice(0, 2)
    .map((frame) =>
      frame
        .trim()
        .replace(/^at /, '')
        .replace(/\(file:\/\/\S*\/((?:apps|libs|node_modules)\/)/, '($1'),
    )
    .join(' < ')
}

function textOf(query: string | { readonly text: string }): string {
  return typeof query === 'string' ? query : query.text
}

/** Returns the first words of a statement, which distinguish statements. */
function headOf(sql: string): string {
  return sql.trim().replace(/\s+/g, ' ').slice(0, 72)
}
