import { droppedLogLines } from '@smsgw/daemon/terminal/output'
import type { DeviceKeys } from '../encryption/device-keys.ts'
import type { AgentLink } from '../link/agent-link.ts'
import {
  type AgentStatus,
  type EncryptionKeyStatus,
  modemStatuses,
  simStatuses,
  waitingStatuses,
} from '../status/agent-status.ts'
import type { AgentParts } from './agent-parts.ts'

/** Returns the status as the command `status` and the support bundle show it. */
export function agentStatusOf(parts: AgentParts, link: AgentLink, startedMs: number): AgentStatus {
  const { options, messaging, modems, store, deviceKeys, problems } = parts
  const { sender, time } = messaging
  const { fleet } = modems
  return {
    version: options.version,
    pid: process.pid,
    upMs: Math.round(options.clock.nowMs() - startedMs),
    link: linkStatus(link, options.relay.url, problems.link.current),
    queue: { open: sender.open, waiting: sender.waiting, inDoubt: sender.inDoubt },
    waiting: waitingStatuses(sender.waitingReport((simNumber) => fleet.simState(simNumber))),
    journal: { id: store.marks.journalId, fsyncMs: store.fsyncMs, problem: problems.journal.current },
    logLinesDropped: droppedLogLines(),
    clock: { trusted: time.now().trusted, systemErrorMs: time.systemErrorMs },
    encryptionKey: keyStatus(deviceKeys),
    modems: modemStatuses(fleet.health),
    sims: simStatuses(fleet.simCards),
    unusable: fleet.unusable,
    ...(options.components !== undefined && { components: options.components() }),
  }
}

export function keyStatus(deviceKeys: DeviceKeys): EncryptionKeyStatus {
  return { version: deviceKeys.current.version, fingerprint: deviceKeys.fingerprint }
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
