// Loaded into a program with `node --import` by bench-box: notes when each step of a message begins or ends, in each
// thread, and appends the notes to files in TRACE_WORK_FOLDER. The times are those of the monotonic clock, which all
// processes of a machine share.
import { subscribe } from 'node:diagnostics_channel'
import fs, { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { threadId, Worker } from 'node:worker_threads'
import pg from 'pg'

const folder = process.env['TRACE_WORK_FOLDER']
let notes = ''
const note = (step: string) => {
  notes += `${process.hrtime.bigint()} ${step}\n`
}
if (folder !== undefined) {
  const file = join(folder, `${process.pid}-${threadId}.txt`)
  setInterval(() => {
    if (notes !== '') appendFileSync(file, notes)
    notes = ''
  }, 500).unref()
  traceHttp()
  traceStatements()
  traceJournal()
  tracePorts()
  traceTimers()
}

function traceHttp(): void {
  subscribe('http.server.request.start', () => note('HTTP request parsed'))
  subscribe('http.server.response.finish', () => note('HTTP response written'))
  subscribe('undici:client:sendHeaders', () => note('webhook request written'))
}

function traceStatements(): void {
  around(pg.Client.prototype, 'query', (run, [query, ...rest]) => {
    const name = `SQL ${headOf(typeof query === 'string' ? query : (query as { text: string }).text)}`
    note(`${name}, sent`)
    const end = () => note(`${name}, answered`)
    const last = rest.at(-1)
    if (typeof last === 'function')
      return run(query, ...rest.slice(0, -1), (...results: unknown[]) => {
        end()
        return Reflect.apply(last, undefined, results)
      })
    const answer = run(query, ...rest)
    if (answer instanceof Promise) answer.then(end, end)
    return answer
  })
}

function traceJournal(): void {
  around(DatabaseSync.prototype, 'exec', (run, [sql]) => {
    const name = `journal ${headOf(String(sql))}`
    note(`${name}, begins`)
    run(sql)
    note(`${name}, done`)
  })
  around(Worker.prototype, 'postMessage', (run, args) => {
    note('post to the journal')
    return run(...args)
  })
  around(Worker.prototype, 'emit', (run, args) => {
    if (args[0] === 'message') note('reply of the journal')
    return run(...args)
  })
}

/** The ports of the modems are read and written with these functions. */
function tracePorts(): void {
  around(fs, 'writeSync', (run, args) => {
    if (Buffer.isBuffer(args[1])) note(`port ◂ ${lineOf(args[1])}`)
    return run(...args)
  })
  around(fs, 'readSync', (run, args) => {
    const size = run(...args)
    if (Buffer.isBuffer(args[1]) && typeof size === 'number') {
      const offset = Number(args[2] ?? 0)
      note(`port ▸ ${lineOf(args[1].subarray(offset, offset + size))}`)
    }
    return size
  })
  syncBuiltinESMExports()
}

function traceTimers(): void {
  around(globalThis, 'setTimeout', (run, [callback, ms, ...rest]) => {
    if (typeof ms !== 'number' || ms > 60 || typeof callback !== 'function') return run(callback, ms, ...rest)
    const name = `timer of ${ms.toFixed(0)} ms`
    note(`${name}, set`)
    const fire = (...args: unknown[]) => {
      note(`${name}, fires`)
      Reflect.apply(callback, undefined, args)
    }
    return run(fire, ms, ...rest)
  })
}

type Run = (...args: readonly unknown[]) => unknown

function around(owner: object, method: string, replacement: (run: Run, args: readonly unknown[]) => unknown): void {
  const original: unknown = Reflect.get(owner, method)
  if (typeof original !== 'function') throw new Error(`there is no method ${method} to trace`)
  function traced(this: unknown, ...args: readonly unknown[]): unknown {
    return replacement((...given) => Reflect.apply(original as () => unknown, this, given), args)
  }
  // Keeps properties such as the promisified variant of setTimeout.
  Reflect.set(owner, method, Object.defineProperties(traced, Object.getOwnPropertyDescriptors(original)))
}

/** Returns the first words of a statement, which distinguish statements. */
function headOf(sql: string): string {
  return sql.trim().replace(/\s+/g, ' ').slice(0, 48)
}

/** Returns the beginning of a transfer over a port. Numbers and PDUs are replaced, so all messages have equal steps. */
function lineOf(octets: Buffer): string {
  const text = octets.toString('latin1').replaceAll('\u001a', '').trim()
  if (/^[0-9A-F]{20,}$/.test(text)) return 'PDU'
  return text
    .replace(/[0-9A-F]{8,}/g, 'PDU')
    .replace(/\d+/g, 'n')
    .replace(/\s+/g, ' ')
    .slice(0, 40)
}
