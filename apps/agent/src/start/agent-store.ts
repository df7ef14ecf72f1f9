import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { AgentInput } from '@smsgw/link/agent/state'
import { bootMemory } from '../journal/boot-mark.ts'
import type { Change } from '../journal/change.ts'
import { type Journal, journalBytes, type OpenedJournal, openJournal } from '../journal/journal.ts'
import { keepWriting } from '../journal/keep-writing.ts'
import type { Marks } from '../journal/read.ts'
import { type TrustedTime, trustedMs } from '../time/trusted-time.ts'
import type { AgentLog, AgentOptions } from './agent-options.ts'
import type { AgentProblems } from './problem-log.ts'

/** The journal of an agent, its events, and the number of the last event that the relay has stored. */
export interface AgentStore {
  readonly journal: Journal
  /** Replaced when the journal gets a new id. */
  marks: Marks
  /**
   * True if this journal cannot be an old copy: the relay confirmed it, and the machine was not restarted after that.
   */
  readonly isContinued: boolean
  readonly fsyncMs: number
  readonly sizeBytes: () => number
  /** Writes changes, and retries until they are on disk. */
  readonly keep: (changes: readonly Change[]) => Promise<void>
}

export async function openAgentStore(
  options: AgentOptions,
  problems: AgentProblems,
  time: TrustedTime,
  toLink: (input: AgentInput) => void,
): Promise<AgentStore> {
  const path = join(options.dataDir, 'journal.db')
  const opened = await openJournal({
    path,
    newJournalId: randomUUID(),
    memory: 'memory' in options ? options.memory : bootMemory(),
    onLost: options.onFatal,
    onEvents: (tail) => toLink({ kind: 'events-appended', journalId: store.marks.journalId, tail }),
    nowMs: () => trustedMs(time),
  })
  const { journal, marks, isContinued, fsyncMs } = opened
  logJournal(opened, options.log)
  const keep = keepWriting(journal, options.clock, problems.journalWrites())
  const store: AgentStore = {
    journal,
    marks,
    isContinued,
    fsyncMs,
    sizeBytes: () => journalBytes(path),
    keep: async (changes) => void (await keep(changes)),
  }
  return store
}

function logJournal({ isNew, isContinued, broken, fsyncMs, marks }: OpenedJournal, log: AgentLog): void {
  if (broken !== undefined) {
    log.error(
      `journal damaged (${broken.why}): moved to ${broken.movedTo}, and a new journal is started. The unfinished messages of the damaged journal are in doubt`,
    )
  } else if (isNew) log.info('new journal created')
  else {
    const waits = isContinued || marks.openCommands === 0 ? '' : ', waiting for the first connection to the relay'
    log.info(`journal opened: ${marks.openCommands} unfinished messages${waits}`)
  }
  const speed = `disk sync takes ${fsyncMs.toFixed(1)} ms`
  if (fsyncMs > slowFsyncMs) log.warn(`${speed}: each message waits for two syncs; use a faster SD card or an SSD`)
  else log.info(speed)
}

const slowFsyncMs = 50
