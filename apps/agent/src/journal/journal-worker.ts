// The only writer of the journal, in its own thread, so that a slow disk delays neither heartbeats nor modems. Writes
// that arrive during a commit share the next transaction. A write that fails does not affect the others.
import { randomBytes } from 'node:crypto'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { ChangeWriter, type EncodedChange } from './apply-change.ts'
import type { BootMemory } from './boot-mark.ts'
import { BootMark } from './boot-mark.ts'
import { openJournalFile } from './journal-file.ts'
import { measureFsync } from './measure-fsync.ts'
import { type Reads, readsOf } from './read.ts'
import { forgetContentOfEnded, JournalRetention, type Removed, type RetentionLimits } from './retention.ts'

export type JournalRequest = { readonly id: number } & (
  | {
      readonly kind: 'write'
      readonly changes: readonly EncodedChange[]
      /** The id of a PDU. If the journal has this PDU, the changes are not written. */
      readonly unlessReceived: string | undefined
      readonly nowMs: number | undefined
    }
  | { readonly kind: 'read'; readonly what: keyof Reads; readonly ask: never }
  | { readonly kind: 'forget'; readonly limits: RetentionLimits }
  | { readonly kind: 'confirm'; readonly isConfirmed: boolean }
  | { readonly kind: 'close' }
)

type WriteRequest = Extract<JournalRequest, { kind: 'write' }>

export type JournalReply = { readonly id: number } & (
  | { readonly kind: 'done'; readonly value: unknown }
  | {
      readonly kind: 'failed'
      readonly message: string
      readonly errcode: number | undefined
      /** True if the journal refused the content of the write, false if the disk failed. */
      readonly isRefused: boolean
    }
)

export interface WorkerStart {
  readonly path: string
  readonly newJournalId: string
  readonly memory: BootMemory | undefined
}

const port = parentPort
if (port === null) throw new Error('journal-worker.ts must run in a worker thread')

const tagLength = 9
let tagBytes = Buffer.alloc(0)
let tagAt = 0
const { path, newJournalId, memory } = workerData as WorkerStart
const { database, broken, isNew } = openJournalFile(path, newJournalId, Date.now())
/** The time of the write that is being applied. */
let nowMs: number | undefined
const writer = new ChangeWriter(database, () => nowMs, newTag)
const reads = readsOf(database)
const retention = new JournalRetention(database)
forgetContentOfEnded(database)
let commits = 0
const mark = markOf(memory)
port.on('message', (first: readonly JournalRequest[]) => work([...first, ...everythingWaiting()]))
const fsyncMs = measureFsync(path)
const start = { broken, isNew, isContinued: mark?.isContinued ?? false, fsyncMs, marks: reads.marks({}) }
post([{ id: 0, kind: 'done', value: start }])

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
    // Continues without a mark. Then only the relay can confirm the journal: a mark of an earlier process is not
    // accepted, because it has another token.
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function everythingWaiting(): JournalRequest[] {
  const waiting: JournalRequest[] = []
  for (let next = receiveMessageOnPort(portOf()); next; next = receiveMessageOnPort(portOf()))
    waiting.push(...(next.message as readonly JournalRequest[]))
  return waiting
}

/**
 * Performs the reads and writes of a batch. A read sees all earlier writes. It may also see later writes of the same
 * batch, because a read does not split a commit.
 */
function work(requests: readonly JournalRequest[]): void {
  const replies: JournalReply[] = []
  for (let at = 0; at < requests.length; ) {
    const others = requests.findIndex(({ kind }, index) => index >= at && kind !== 'write' && kind !== 'read')
    const end = others === -1 ? requests.length : others
    const together = requests.slice(at, end)
    const writes = together.filter((request) => request.kind === 'write')
    if (writes.length > 0) replies.push(...commit(writes))
    for (const request of together) if (request.kind === 'read') replies.push(answer(request))
    const other = requests[end]
    if (other !== undefined && other.kind !== 'write') replies.push(answer(other))
    at = end + 1
  }
  post(replies)
}

function commit(writes: readonly WriteRequest[]): readonly JournalReply[] {
  const replies: JournalReply[] = []
  let isRefused = false
  let isChanged = false
  try {
    database.exec('BEGIN IMMEDIATE')
    for (const { id, changes, unlessReceived, nowMs: writtenMs } of writes) {
      nowMs = writtenMs
      isRefused = true
      const value = writer.write(changes, unlessReceived)
      isChanged ||= value.wasReceived !== true
      replies.push({ id, kind: 'done', value })
      isRefused = false
    }
    // Without a change, answers even if the disk is full.
    if (!isChanged) {
      database.exec('ROLLBACK')
      return replies
    }
    writer.finish()
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    writer.forget()
    isRefused &&= !isOfTheDisk(error)
    // Commits each write separately after the rollback, because a refused write must not affect the other writes.
    if (isRefused && writes.length > 1) return writes.flatMap((write) => commit([write]))
    return writes.map(({ id }) => failed(id, error, isRefused))
  }
  commits += 1
  mark?.committed(commits)
  return replies
}

function answer(request: Exclude<JournalRequest, WriteRequest>): JournalReply {
  try {
    return { id: request.id, kind: 'done', value: outcomeOf(request) }
  } catch (error) {
    return failed(request.id, error)
  }
}

function outcomeOf(request: Exclude<JournalRequest, WriteRequest>): unknown {
  switch (request.kind) {
    case 'read':
      return reads[request.what](request.ask)
    case 'forget':
      return forget(request.limits)
    case 'confirm':
      mark?.confirm(request.isConfirmed)
      return undefined
    case 'close':
      mark?.close()
      database.close()
      return undefined
  }
}

/** Also removes deleted content from the write-ahead log. */
function forget(limits: RetentionLimits): Removed {
  const removed = retention.apply(limits)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return removed
}

function failed(id: number, error: unknown, isRefused = false): JournalReply {
  const message = error instanceof Error ? error.message : String(error)
  return { id, kind: 'failed', message, errcode: errcodeOf(error), isRefused }
}

function errcodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined
}

/** SQLITE_IOERR, SQLITE_FULL, SQLITE_READONLY, SQLITE_CORRUPT: no write can succeed now. */
function isOfTheDisk(error: unknown): boolean {
  return [8, 10, 11, 13].includes((errcodeOf(error) ?? 0) & 0xff)
}

function post(replies: readonly JournalReply[]): void {
  portOf().postMessage(replies)
}

/**
 * Generates the random bytes of 256 tags at once, because generating them takes no longer than generating the bytes of
 * one tag.
 */
function newTag(): string {
  if (tagBytes.length - tagAt < tagLength) {
    tagBytes = randomBytes(256 * tagLength)
    tagAt = 0
  }
  tagAt += tagLength
  return tagBytes.toString('base64url', tagAt - tagLength, tagAt)
}

function portOf(): NonNullable<typeof parentPort> {
  return port as NonNullable<typeof parentPort>
}
