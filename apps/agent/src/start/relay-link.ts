// Inbound path, step 5: passes events of the journal to the link. Next: agent-link.ts.

import { randomUUID } from 'node:crypto'
import { capabilities } from '@smsgw/contract/link/frame'
import { newAgent } from '@smsgw/link/agent/state'
import type { Clock, Timer } from '@smsgw/modem/clock'
import { AgentLink } from '../link/agent-link.ts'
import type { CommandHandler } from '../link/command-handler.ts'
import { WaitingReporter } from '../status/waiting-reporter.ts'
import type { AgentParts } from './agent-parts.ts'
import type { AgentStore } from './agent-store.ts'

export interface RelayLink {
  readonly link: AgentLink
  readonly markWriter: MarkWriter
  readonly waitingReporter: WaitingReporter
  /** Must be called when the agent stops, because a relay that stops at the same time closes the connection. */
  readonly stopping: () => void
}

/** Creates the link to the relay; `link.start()` connects it. */
export function createRelayLink(parts: AgentParts, commands: CommandHandler): RelayLink {
  const { options, store, messaging, modems, settings, problems } = parts
  const { clock, log, device, relay } = options
  const { sender, time } = messaging
  let isStopping = false
  const markWriter = new MarkWriter(clock, (mark, streamId) => store.keep([{ kind: 'mark-recorded', mark, streamId }]))
  const waitingReporter = new WaitingReporter({
    clock,
    intervalMs: relay.waitingReportMs,
    openIds: () => sender.openIds,
    report: (isCounted) => sender.waitingReport((simNumber) => modems.fleet.simState(simNumber), isCounted),
    send: (report) => link.step({ kind: 'waiting', report }),
  })
  const link = new AgentLink({
    clock,
    random: Math.random,
    openSocket: relay.openSocket,
    state: initialState(parts),
    identity: {
      sign: (text) => device.identity.sign(text),
      keep: async (deviceId) => device.identity.keep({ url: relay.url, deviceId }),
    },
    journal: {
      tagOf: (seq) => store.journal.read('event-tag', { seq }),
      events: (from, most) => store.journal.eventTexts(from, most),
      recordMark: async (mark, streamId) => markWriter.note(mark, streamId),
      renounce: (journalId, provenMark) => renounceJournal(parts, journalId, provenMark),
    },
    commands: {
      take: (journalId, received) => commands.take(journalId, received),
      openSends: () => sender.open,
    },
    listener: {
      onSettings: (sent, serverTime) => {
        if (serverTime !== undefined) time.heard('relay', Date.parse(serverTime))
        settings.receive(sent)
      },
      onConnected: ({ serverTime }) => {
        problems.link.resolved()
        log.info('connected to the relay')
        time.heard('relay', Date.parse(serverTime))
        sender.confirm()
        // Confirms the journal only after the settings are stored. After this confirmation, the next process may send
        // without a relay, and needs the same settings.
        settings.stored.then(() => store.journal.confirm(true)).catch(problems.onError)
        modems.reporter.connected()
        waitingReporter.connected()
      },
      onDisconnected: (kind, why, reason) => {
        waitingReporter.disconnected()
        const state =
          kind === 'stopped' ? 'disconnected from the relay permanently' : 'disconnected from the relay, retrying'
        if (!isStopping || kind === 'stopped') problems.link.report(`${state} (${why}): ${reason}`)
        if (kind === 'stopped') {
          sender.unconfirm()
          store.journal.confirm(false).catch(problems.onError)
        }
      },
      onError: problems.onError,
    },
  })
  return {
    link,
    markWriter,
    waitingReporter,
    stopping: () => {
      isStopping = true
    },
  }
}

function initialState({ options, bootId, store, messaging, deviceKeys, accountKey, modems }: AgentParts) {
  const { identity, name, credential } = options.device
  return newAgent({
    agent: {
      bootId,
      agentVersion: options.version,
      capabilities,
      publicKey: identity.publicKey,
      name,
      isClockSynchronised: messaging.time.now().trusted,
      sims: modems.fleet.simCards,
      encryptionKey: deviceKeys.current,
      aliasKey: accountKey.aliasKey,
    },
    identity: identity.relay ? { deviceId: identity.relay.deviceId } : { credential: credential ?? '' },
    journal: journalNames(store),
    marks: store.marks,
    queue: { open: messaging.sender.open, capacity: sendCapacity, urgent: urgentSendCapacity },
  })
}

/**
 * Called if the relay has stored more events than this journal contains, which shows that the journal is an old copy.
 */
async function renounceJournal({ options, store, messaging }: AgentParts, journalId: string, provenMark: number) {
  if (journalId === store.marks.journalId) {
    options.log.error(
      'journal is an old copy (restored backup or cloned disk): its unfinished messages are in doubt and are not sent',
    )
    await messaging.sender.distrust({ kind: 'journal-renounced', journalId: randomUUID(), provenMark })
    store.marks = await store.journal.read('marks', {})
  }
  return { journal: journalNames(store), marks: store.marks }
}

function journalNames({ marks }: AgentStore) {
  return { id: marks.journalId, replaces: marks.replaces, streamId: marks.streamId }
}

/**
 * The number of messages that the agent accepts, which is more than a modem sends in some minutes. Further messages
 * wait at the relay, where urgent messages can overtake them.
 */
const sendCapacity = 100
const urgentSendCapacity = 20

/**
 * Writes to the journal which events the relay has stored, at most once a second. This only reduces work after a
 * restart, and is not needed for correctness.
 */
class MarkWriter {
  readonly #clock: Clock
  readonly #write: (mark: number, streamId: string) => Promise<void>
  #latest: { readonly mark: number; readonly streamId: string } | undefined
  #timer: Timer | undefined

  constructor(clock: Clock, write: (mark: number, streamId: string) => Promise<void>) {
    this.#clock = clock
    this.#write = write
  }

  note(mark: number, streamId: string): void {
    this.#latest = { mark, streamId }
    this.#timer ??= this.#clock.after(markEveryMs, () => {
      this.#timer = undefined
      void this.#flush()
    })
  }

  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const latest = this.#latest
    this.#latest = undefined
    if (latest !== undefined) await this.#write(latest.mark, latest.streamId)
  }
}

const markEveryMs = 1000
