// The one writer of the journal, in a thread of its own: what waits for the disk here stops no heartbeat and no modem.
// Everything that came in while the last commit ran is one transaction; a write that fails takes none of the others with it.
// What may wait is held back for a moment: where one message follows another, the result of one and the COMMIT of the next
// share a commit.
import { randomBytes } from 'node:crypto'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { ChangeWriter } from './apply-change.ts'
import { BootMark } from './boot-mark.ts'
import type { BootMemory } from './boot-memory.ts'
import type { Change } from './change.ts'
import { openJournalFile } from './journal-file.ts'
import { measureFsync } from './measure-fsync.ts'
import { type Reads, readsOf } from './read.ts'
import { forgetOld } from './retention.ts'

export type Request = { readonly id: number } & (
  | { readonly kind: 'write'; readonly changes: readonly Change[]; readonly mayWait: boolean }
  | { readonly kind: 'read'; readonly what: keyof Reads; readonly ask: never }
  | { readonly kind: 'forget'; readonly beforeMs: number }
  | { readonly kind: 'confirm'; readonly isConfirmed: boolean }
  | { readonly kind: 'close' }
)

export type Reply = { readonly id: number } & (
  | { readonly kind: 'done'; readonly value: unknown }
  | {
      readonly kind: 'failed'
      readonly message: string
      readonly errcode: number | undefined
      /** By what the journal holds, not by the disk. */
      readonly isRefused: boolean
    }
)

export interface WorkerStart {
  readonly path: string
  readonly newJournalId: string
  readonly memory: BootMemory | undefined
}

const port = parentPort
if (port === null) throw new Error('started outside a worker')

const { path, newJournalId, memory } = workerData as WorkerStart
const { database, broken, isNew } = openJournalFile(path, newJournalId, Date.now())
const writer = new ChangeWriter(database, Date.now, () => randomBytes(9).toString('base64url'))
const reads = readsOf(database)
let commits = 0
const mark = markOf(memory)
const countCommit = database.prepare('UPDATE journal SET commits = ?')
let held: Request[] = []
let release: NodeJS.Timeout | undefined
port.on('message', (first: Request) => take([first, ...everythingWaiting()]))
const fsyncMs = measureFsync(path)
post({
  id: 0,
  kind: 'done',
  value: { broken, isNew, isContinued: mark?.isContinued ?? false, fsyncMs, marks: reads.marks({}) },
})

function markOf(where: BootMemory | undefined): BootMark | undefined {
  const [found] = database.prepare('SELECT start_token AS token, commits FROM journal').all()
  const token = randomBytes(18).toString('base64url')
  commits = Number(found?.['commits'])
  database.prepare('UPDATE journal SET start_token = ?').run(token)
  if (where === undefined) return undefined
  try {
    const left = found?.['token'] ?? undefined
    return new BootMark(where, path, { token: left === undefined ? left : String(left), commits }, token)
  } catch (error) {
    // The relay says it then. What was there before has another token.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function everythingWaiting(): Request[] {
  const waiting: Request[] = []
  for (let next = receiveMessageOnPort(portOf()); next; next = receiveMessageOnPort(portOf()))
    waiting.push(next.message)
  return waiting
}

function take(requests: readonly Request[]): void {
  held.push(...requests)
  if (requests.every((request) => request.kind === 'write' && request.mayWait)) {
    release ??= setTimeout(workHeld, longestHoldMs)
  } else {
    workHeld()
  }
}

function workHeld(): void {
  clearTimeout(release)
  release = undefined
  const requests = held
  held = []
  work(requests)
}

/** In the order they came: what is read sees what was written before it. */
function work(requests: readonly Request[]): void {
  for (let at = 0; at < requests.length; ) {
    const writes = requests.slice(at).findIndex(({ kind }) => kind !== 'write')
    const end = writes === -1 ? requests.length : at + writes
    if (end > at) commit(requests.slice(at, end) as Extract<Request, { kind: 'write' }>[])
    const other = requests[end]
    if (other !== undefined && other.kind !== 'write') answer(other)
    at = end + 1
  }
}

function commit(writes: readonly Extract<Request, { kind: 'write' }>[]): void {
  const replies: Reply[] = []
  try {
    database.exec('BEGIN IMMEDIATE')
    for (const { id, changes } of writes) replies.push(applied(id, changes))
    countCommit.run(commits + 1)
    database.exec('COMMIT')
    commits += 1
  } catch (error) {
    // The disk is full, or it does not write: none of it stands, and each is told.
    if (database.isTransaction) database.exec('ROLLBACK')
    for (const { id } of writes) post(failed(id, error))
    return
  }
  mark?.committed(commits)
  for (const reply of replies) post(reply)
}

function applied(id: number, changes: readonly Change[]): Reply {
  database.exec('SAVEPOINT one')
  try {
    const seqs = changes.flatMap((change) => writer.apply(change) ?? [])
    database.exec('RELEASE one')
    return { id, kind: 'done', value: seqs }
  } catch (error) {
    // Some failures of the disk end the whole transaction by themselves.
    if (!database.isTransaction) throw error
    database.exec('ROLLBACK TO one; RELEASE one')
    if (isOfTheDisk(error)) throw error
    return failed(id, error, true)
  }
}

function answer(request: Exclude<Request, { kind: 'write' }>): void {
  try {
    post({ id: request.id, kind: 'done', value: outcomeOf(request) })
  } catch (error) {
    post(failed(request.id, error))
  }
}

function outcomeOf(request: Exclude<Request, { kind: 'write' }>): unknown {
  switch (request.kind) {
    case 'read':
      return reads[request.what](request.ask)
    case 'forget':
      return forgetOld(database, request.beforeMs)
    case 'confirm':
      mark?.confirm(request.isConfirmed)
      return undefined
    case 'close':
      mark?.close()
      database.close()
      return undefined
  }
}

function failed(id: number, error: unknown, isRefused = false): Reply {
  const message = error instanceof Error ? error.message : String(error)
  return { id, kind: 'failed', message, errcode: errcodeOf(error), isRefused }
}

function errcodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined
}

/** SQLITE_IOERR, SQLITE_FULL, SQLITE_READONLY, SQLITE_CORRUPT: nothing more can be written now, whatever it is. */
function isOfTheDisk(error: unknown): boolean {
  return [8, 10, 11, 13].includes((errcodeOf(error) ?? 0) & 0xff)
}

/** As long as a modem takes to ask for the next message. */
const longestHoldMs = 4

function post(reply: Reply): void {
  portOf().postMessage(reply)
}

function portOf(): NonNullable<typeof parentPort> {
  return port as NonNullable<typeof parentPort>
}
