import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { newAgent } from '@smsgw/link/agent-state'
import type { Clock } from '@smsgw/modem/clock'
import type { OpenResult } from '@smsgw/modem/recovery-runner'
import { agentSettings } from './agent-settings.ts'
import { CommandDesk } from './command-desk.ts'
import { examineWithin } from './doctor/examine-within.ts'
import { type BootMemory, bootMemory } from './journal/boot-memory.ts'
import type { Json } from './journal/change.ts'
import { type OpenedJournal, openJournal } from './journal/journal.ts'
import { journalBytes } from './journal/journal-bytes.ts'
import { keepWriting } from './journal/keep-writing.ts'
import type { Marks } from './journal/read.ts'
import type { AgentIdentity } from './link/agent-identity.ts'
import { AgentLink } from './link/agent-link.ts'
import type { OpenSocket } from './link/link-socket.ts'
import { MarkWriter } from './mark-writer.ts'
import { modemListener } from './modem-listener.ts'
import { findPlaces, type Wanted } from './modems/find-places.ts'
import { ModemFleet } from './modems/modem-fleet.ts'
import { watchDevices } from './modems/watch-devices.ts'
import { Receiver } from './receiving/receiver.ts'
import { Reporter } from './reporter.ts'
import { FieldOpener } from './sending/encrypted-field.ts'
import { Sender } from './sending/sender.ts'
import { defaultSendingLimits, type SendingLimits } from './sending/sending-settings.ts'
import { type AgentStatus, modemStatuses, simStatuses } from './status/agent-status.ts'
import { ControlSocket } from './status/control-socket.ts'
import { examineModem } from './status/examine-modem.ts'
import { judgeSystemClock } from './time/system-clock.ts'
import { TrustedClock } from './time/trusted-clock.ts'
import { Trouble } from './trouble.ts'
import { Upkeep } from './upkeep.ts'

export interface AgentParts {
  readonly dataDir: string
  readonly version: string
  /** What an account sees of it until somebody renames it. */
  readonly name: string
  readonly clock: Clock
  readonly identity: AgentIdentity
  /** A one-time code or the token of a fleet, as long as it is not paired. */
  readonly credential: string | undefined
  /** Kept beside the id that pairing gives. */
  readonly relayUrl: string
  readonly openSocket: OpenSocket
  readonly openModem: (address: string) => Promise<OpenResult>
  readonly wanted: Wanted
  readonly pinOf: (simNumber: number) => string | undefined
  readonly phoneNumberOf: (simNumber: number) => string | undefined
  readonly passphrase: string | undefined
  readonly limits?: Partial<SendingLimits>
  readonly log: AgentLog
  /** What this machine remembers until it is switched off; found by itself when left out. */
  readonly memory?: BootMemory | undefined
  /** It cannot go on, and has to be started anew. */
  readonly onFatal: (error: Error) => void
}

export interface AgentLog {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

export interface Agent {
  readonly status: () => AgentStatus
  /** What is at a modem is waited for; nothing new is begun. */
  readonly stop: () => Promise<void>
}

/** Everything that makes an agent, put together: journal, sender, receiver, modems, link. */
export async function startAgent(parts: AgentParts): Promise<Agent> {
  const { clock, log, identity } = parts
  const bootId = randomUUID()
  const startedMs = clock.nowMs()
  const journalPath = join(parts.dataDir, 'journal.db')
  const opened = await openJournal({
    path: journalPath,
    newJournalId: randomUUID(),
    memory: 'memory' in parts ? parts.memory : bootMemory(),
    onLost: parts.onFatal,
    onEvents: (tail) => link?.step({ kind: 'events-appended', journalId: marks.journalId, tail }),
  })
  const { journal } = opened
  sayHow(opened, log)
  let marks: Marks = opened.marks
  let link: AgentLink | undefined

  const time = new TrustedClock({
    clock,
    bootId,
    systemMs: Date.now,
    judgeSystem: () => judgeSystemClock(),
    onChanged: () => {
      sender.timeChanged()
      receiver.settleWaiting().catch(onTrouble)
      link?.step({ kind: 'facts-changed', facts: { isClockSynchronised: time.now().trusted } })
    },
  })
  const journalTrouble = new Trouble((words) => log.error(words))
  const onJournalTrouble = (error: Error) => journalTrouble.happened(error.message)
  const onTrouble = (error: unknown) => log.error(error instanceof Error ? error.message : String(error))
  const keep = keepWriting(journal, clock, onJournalTrouble)

  const sender = new Sender({
    journal,
    clock,
    time,
    chance: Math.random,
    limits: { ...defaultSendingLimits, ...parts.limits },
    opener: parts.passphrase === undefined ? undefined : new FieldOpener(parts.passphrase),
    onJournalTrouble,
    onReference: (reference) => receiver.tryReports(reference),
    onTrouble,
    onOpenChanged: (open) => link?.step({ kind: 'queue-changed', queue: { open } }),
  })
  const receiver = new Receiver({
    journal,
    clock,
    time,
    onReport: (iccid, report) => sender.report(iccid, report),
    onJournalTrouble,
    onTrouble,
  })
  const notes = await journal.read('notes', {})
  const fleet: ModemFleet = new ModemFleet(
    {
      clock,
      journal,
      open: parts.openModem,
      pinOf: parts.pinOf,
      phoneNumberOf: parts.phoneNumberOf,
      onJournalTrouble,
      find: () => findPlaces(parts.wanted),
      watch: (onChange) => watchDevices(parts.wanted, onChange),
      newId: randomUUID,
      onUnusable: (words) => {
        log.warn(words)
        reporter.tell('WARN', 'modem', words)
      },
      onTrouble,
      listener: modemListener({ sender, receiver, time, log, clock, onTrouble, reporter: () => reporter }),
    },
    notes,
  )
  const reporter: Reporter = new Reporter({
    keep,
    clock,
    time,
    fleet,
    version: parts.version,
    onSims: (sims) => {
      sender.simsKnown(fleet.simNumbers)
      link?.step({ kind: 'facts-changed', facts: { sims } })
    },
    onTelemetry: (at, sample) => link?.step({ kind: 'telemetry', at, sample }),
    facts: () => ({
      platform: `${process.platform} ${process.arch}`,
      queue: { open: sender.open, waiting: sender.waiting, inDoubt: sender.inDoubt },
      journal: { sizeBytes: journalBytes(journalPath), fsyncMs: opened.fsyncMs },
    }),
  })

  const use = (sent: Readonly<Record<string, unknown>>) => {
    const settings = agentSettings(sent)
    sender.use(settings.sending)
    reporter.pingEvery(settings.pingMs)
  }
  let settingsKept: Promise<void> = Promise.resolve()

  await sender.restore()
  await receiver.restore()
  if (opened.isContinued) {
    use((notes[settingsNote] ?? {}) as Readonly<Record<string, unknown>>)
    sender.confirm()
  }

  const examineModems = () => Promise.all(fleet.actors.map((actor) => examineModem(actor, clock)))
  const desk = new CommandDesk({
    journal,
    sender,
    time,
    journalId: () => marks.journalId,
    sweep: () => fleet.sweep(),
    ussd: (command) => fleet.ussd.ask(command),
    examine: () => examineWithin({ dataDir: parts.dataDir, wanted: parts.wanted, status, examineModems }),
    onTrouble,
  })
  const markWriter = new MarkWriter(clock, (mark, streamId) => keep([{ kind: 'mark-recorded', mark, streamId }]))
  const linkTrouble = new Trouble((words) => log.warn(words))
  link = new AgentLink({
    clock,
    chance: Math.random,
    openSocket: parts.openSocket,
    state: newAgent({
      agent: {
        bootId,
        agentVersion: parts.version,
        publicKey: identity.publicKey,
        name: parts.name,
        isClockSynchronised: time.now().trusted,
        sims: fleet.simCards,
      },
      identity: identity.relay ? { deviceId: identity.relay.deviceId } : { credential: parts.credential ?? '' },
      journal: { id: marks.journalId, replaces: marks.replaces, streamId: marks.streamId },
      marks,
      queue: { open: sender.open, capacity: sendsHeld, urgent: urgentSendsHeld },
    }),
    sign: (text) => identity.sign(text),
    keepIdentity: async (deviceId) => identity.keep({ url: parts.relayUrl, deviceId }),
    journal: {
      tagOf: (seq) => journal.read('event-tag', { seq }),
      events: (from, most) => journal.read('event-texts', { from, most }),
      recordMark: async (mark, streamId) => markWriter.note(mark, streamId),
    },
    takeCommands: (journalId, commands) => desk.take(journalId, commands),
    renounce: async (journalId, provenMark) => {
      if (journalId === marks.journalId) {
        log.error('this journal is an old copy: nothing that it holds is sent, and all of it is in doubt')
        await sender.distrust({ kind: 'journal-renounced', journalId: randomUUID(), provenMark })
        marks = await journal.read('marks', {})
      }
      return { journal: { id: marks.journalId, replaces: marks.replaces, streamId: marks.streamId }, marks }
    },
    openSends: () => sender.open,
    onSettings: (sent) => {
      use(sent)
      settingsKept = keep([{ kind: 'note', name: settingsNote, value: sent as Json }])
    },
    onConnected: ({ serverTime }) => {
      linkTrouble.over()
      log.info('connected to the relay')
      time.heard('relay', Date.parse(serverTime))
      sender.confirm()
      // The next process goes on without a relay, and by the same settings.
      settingsKept.then(() => journal.confirm(true)).catch(onTrouble)
      reporter.connected()
    },
    onDisconnected: (kind, why, reason) => {
      const words = `${kind === 'stopped' ? 'not connected any more' : 'no connection to the relay'} (${why}): ${reason}`
      linkTrouble.happened(words)
      if (kind === 'stopped') {
        sender.unconfirm()
        journal.confirm(false).catch(onTrouble)
      }
    },
    onTrouble,
  })
  const status = (): AgentStatus => ({
    version: parts.version,
    pid: process.pid,
    upMs: Math.round(clock.nowMs() - startedMs),
    link: {
      phase: link.phase.kind,
      relay: parts.relayUrl,
      trouble: linkTrouble.words,
      deviceId: 'deviceId' in link.identity ? link.identity.deviceId : undefined,
      eventsWaiting: link.eventsWaiting,
    },
    queue: { open: sender.open, waiting: sender.waiting, inDoubt: sender.inDoubt },
    journal: { id: marks.journalId, fsyncMs: opened.fsyncMs, trouble: journalTrouble.words },
    clock: { trusted: time.now().trusted, systemErrorMs: time.systemErrorMs },
    modems: modemStatuses(fleet.health),
    sims: simStatuses(fleet.simCards),
    unusable: fleet.unusable,
  })
  reporter.start()
  link.start()
  await fleet.start()

  const upkeep = new Upkeep(clock, async () => {
    time.look()
    // A clock that nobody vouches for would forget what is needed, or nothing.
    if (time.now().trusted) await journal.forget(time.now().wallMs - keptMs)
    const { journalId, first } = await journal.read('marks', {})
    link.step({ kind: 'events-pruned', journalId, first })
  })

  const control = await ControlSocket.open(parts.dataDir, clock, {
    status,
    examine: examineModems,
    ussd: (request) => fleet.ussd.ask(request),
  })

  return {
    status,
    async stop() {
      await control.close()
      upkeep.stop()
      sender.stop()
      await sender.settled()
      // What is read comes after what is being written.
      await journal.read('marks', {})
      reporter.stop()
      await fleet.stop()
      receiver.stop()
      await link.told(tellLimitMs)
      link.stop()
      await markWriter.stop()
      await journal.close()
    },
  }
}

/** Under it the journal has the account's settings, as they came last. */
const settingsNote = 'settings'
/** What became of the last messages; the relay is told of the rest at the next start. */
const tellLimitMs = 1_000
/** More than a radio sends in minutes; the rest waits at the relay, where it can still be overtaken. */
const sendsHeld = 100
const urgentSendsHeld = 20
/** Ended, acknowledged or settled: known for a week more, since networks and relays come back to it. */
const keptMs = 8 * 24 * 60 * 60_000

function sayHow({ isNew, isContinued, broken, fsyncMs, marks }: OpenedJournal, log: AgentLog): void {
  if (broken !== undefined) {
    log.error(
      `the journal was broken (${broken.why}); it was put aside as ${broken.movedTo}, and what it held is in doubt`,
    )
  } else if (isNew) log.info('a new journal was begun')
  else {
    const waits = isContinued || marks.openCommands === 0 ? '' : '; they wait until the relay has been reached once'
    log.info(`the journal holds ${marks.openCommands} messages that have not ended${waits}`)
  }
  const words = `a write to its disk takes ${fsyncMs.toFixed(1)} ms`
  if (fsyncMs > slowFsyncMs) log.warn(`${words}: messages wait for it twice; a better SD card or an SSD helps`)
  else log.info(words)
}

const slowFsyncMs = 50
