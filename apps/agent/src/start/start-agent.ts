import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { droppedLogLines } from '@smsgw/daemon/terminal/output'
import type { AgentInput } from '@smsgw/link/agent/state'
import { examineModem } from '../doctor/examine-modem.ts'
import { examineWithin } from '../doctor/examine-within.ts'
import { DeviceKeys, deviceKeysFile } from '../encryption/device-keys.ts'
import type { AgentLink } from '../link/agent-link.ts'
import { CommandHandler } from '../link/command-handler.ts'
import { runModemCommand } from '../modems/modem-commands.ts'
import { storeDetectedBaudRate } from '../modems/stored-baud-rate.ts'
import { trySavePin } from '../setup/saved-pins.ts'
import { unlockSim } from '../setup/unlock-sim.ts'
import { type AgentStatus, modemStatuses, simStatuses, waitingStatuses } from '../status/agent-status.ts'
import { ControlSocket } from '../status/control-socket.ts'
import { judgeSystemClock } from '../time/system-clock.ts'
import { TrustedClock } from '../time/trusted-clock.ts'
import { createModems } from './agent-modems.ts'
import type { AgentOptions } from './agent-options.ts'
import { SettingsInUse, settingsNote, storedInboxKey } from './agent-settings.ts'
import { openStore } from './agent-store.ts'
import { startMaintenance } from './maintenance.ts'
import { createMessaging } from './messaging.ts'
import { agentProblems } from './problem-log.ts'
import { createRelayLink } from './relay-link.ts'

export interface Agent {
  readonly status: () => AgentStatus
  /** Stops the agent as soon as each modem has finished the part that it is sending. No new part is sent. */
  readonly stop: () => Promise<void>
}

/** Starts an agent: journal, sending and receiving, modems, the link to the relay, and the socket for its commands. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { clock, log } = options
  const bootId = randomUUID()
  const startedMs = clock.nowMs()
  let link: AgentLink | undefined
  const toLink = (input: AgentInput) => link?.step(input)

  const problems = agentProblems(log, options.dataDir)
  const time = new TrustedClock({
    clock,
    bootId,
    systemMs: Date.now,
    judgeSystem: () => judgeSystemClock(),
    onChanged: () => messaging.timeChanged(),
  })
  const store = await openStore(options, problems, time, toLink)
  const deviceKeys = await DeviceKeys.load(join(options.dataDir, deviceKeysFile))
  const { aliases } = deviceKeys
  const inboxKey = () => accountKey && { ...accountKey, aliases: accountKey.hidesSender && aliases }
  const messaging = createMessaging(options, time, { deviceKeys, inboxKey }, store, problems, toLink)
  const { sender, receiver } = messaging
  const notes = await store.journal.read('notes', {})
  // Uses the stored key from the start, before settings arrive from the relay, so that received messages are never
  // reported unencrypted.
  let accountKey = storedInboxKey(notes[settingsNote])
  const aliasKey = () => (accountKey?.hidesSender ? aliases.keyFor(accountKey) : undefined)
  const shownNumber = (number: string) => (accountKey?.hidesSender ? aliases.aliasOf(number, accountKey) : number)
  const modems = createModems(options, messaging, store, notes, shownNumber, problems, toLink)
  const { fleet, reporter } = modems
  const reportAliasKey = () => {
    const key = aliasKey()
    toLink({ kind: 'facts-changed', facts: { aliasKey: key } })
    if (key !== undefined) reporter.aliasKeyChanged(key)
  }
  const settings = new SettingsInUse({
    clock,
    problems: problems.settings,
    store: (value) => store.keep([{ kind: 'note', name: settingsNote, value }]),
    onChanged: ({ sending, pingMs, inboxKey }) => {
      const isChanged = JSON.stringify(accountKey) !== JSON.stringify(inboxKey)
      accountKey = inboxKey
      if (isChanged) reportAliasKey()
      sender.use(sending)
      reporter.pingEvery(pingMs)
    },
  })

  await sender.restore()
  await receiver.restore()
  if (store.isContinued) {
    settings.restore(notes[settingsNote])
    sender.confirm()
  }

  const examineModems = () => Promise.all(fleet.actors.map((actor) => examineModem(actor, clock)))
  const commands = new CommandHandler({
    journal: store.journal,
    sender,
    time,
    journalId: () => store.marks.journalId,
    sweep: () => fleet.sweep(),
    ussd: (command) => fleet.ussd.ask(command),
    modem: (command) =>
      runModemCommand(fleet.actorOf(command.simNumber), command, (entered) =>
        trySavePin(options.dataDir, options.modems.sims, entered),
      ),
    examine: () => examineWithin({ dataDir: options.dataDir, wanted: options.modems.wanted, status, examineModems }),
    onError: problems.onError,
  })
  const relay = createRelayLink({
    options,
    bootId,
    store,
    messaging,
    deviceKeys,
    aliasKey: aliasKey(),
    modems,
    settings,
    commands,
    problems,
  })
  link = relay.link
  const keyStatus = () => ({ version: deviceKeys.current.version, fingerprint: deviceKeys.fingerprint })
  const rotateEncryptionKey = async () => {
    const key = await deviceKeys.rotate()
    toLink({ kind: 'facts-changed', facts: { encryptionKey: key } })
    await reporter.keyReplaced(key)
    log.info(`encryption key replaced: version ${key.version} is in use`)
    return keyStatus()
  }
  const status = (): AgentStatus => ({
    version: options.version,
    pid: process.pid,
    upMs: Math.round(clock.nowMs() - startedMs),
    link: linkStatus(relay.link, options.relay.url, problems.link.current),
    queue: { open: sender.open, waiting: sender.waiting, inDoubt: sender.inDoubt },
    waiting: waitingStatuses(sender.waitingReport((simNumber) => fleet.simState(simNumber))),
    journal: { id: store.marks.journalId, fsyncMs: store.fsyncMs, problem: problems.journal.current },
    logLinesDropped: droppedLogLines(),
    clock: { trusted: time.now().trusted, systemErrorMs: time.systemErrorMs },
    encryptionKey: keyStatus(),
    modems: modemStatuses(fleet.health),
    sims: simStatuses(fleet.simCards),
    unusable: fleet.unusable,
    ...(options.components !== undefined && { components: options.components() }),
  })

  reporter.start()
  relay.link.start()
  await fleet.start()
  const stopMaintenance = startMaintenance(clock, messaging, store, deviceKeys, () => settings.known, toLink)
  const control = await ControlSocket.open(options.dataDir, clock, {
    status,
    examine: examineModems,
    ussd: (request) => fleet.ussd.ask(request),
    rotateEncryptionKey,
    unlock: (request) =>
      unlockSim({ actors: fleet.actors, areNumbersKept: true, ...options.modems.sims }, options.dataDir, request),
    storeBaudRate: ({ port }) => storeDetectedBaudRate(fleet.actors, port),
  })

  return {
    status,
    async stop() {
      await control.close()
      stopMaintenance()
      sender.stop()
      await sender.settled()
      // The journal answers in order, so this read resolves after all earlier writes.
      await store.journal.read('marks', {})
      reporter.stop()
      relay.waitingReporter.stop()
      await fleet.stop()
      receiver.stop()
      await relay.link.flushed(flushLimitMs)
      relay.link.stop()
      await relay.markWriter.stop()
      settings.stop()
      await store.journal.close()
    },
  }
}

function linkStatus(link: AgentLink, relay: string, problem: string | undefined): AgentStatus['link'] {
  return {
    phase: link.phase.kind,
    relay,
    problem,
    deviceId: 'deviceId' in link.identity ? link.identity.deviceId : undefined,
    eventsWaiting: link.eventsWaiting,
  }
}

/**
 * How long a stop waits until the relay has stored the last events. Events that are not stored by then are sent after
 * the next start.
 */
const flushLimitMs = 1_000
