import { randomUUID } from 'node:crypto'
import type { AgentInput } from '@smsgw/link/agent/state'
import type { AgentLink } from '../link/agent-link.ts'
import type { AgentStatus } from '../status/agent-status.ts'
import { createCommands, openControlSocket } from './agent-commands.ts'
import type { AgentOptions } from './agent-options.ts'
import { type AgentParts, createParts } from './agent-parts.ts'
import { agentStatusOf } from './agent-status.ts'
import { startMaintenance } from './maintenance.ts'
import { createRelayLink, type RelayLink } from './relay-link.ts'

export interface Agent {
  readonly status: () => AgentStatus
  /** Stops the agent as soon as each modem has finished the part that it is sending. No new part is sent. */
  readonly stop: () => Promise<void>
}

/** Starts an agent: journal, sending and receiving, modems, the link to the relay, and the socket for its commands. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const startedMs = options.clock.nowMs()
  let link: AgentLink | undefined
  const toLink = (input: AgentInput) => link?.step(input)

  const parts = await createParts(options, randomUUID(), toLink)
  const status = () => agentStatusOf(parts, relay.link, startedMs)
  const relay = createRelayLink(parts, createCommands(parts, status))
  link = relay.link

  parts.modems.reporter.start()
  relay.link.start()
  await parts.modems.fleet.start()
  const stopMaintenance = startMaintenance(parts)
  const control = await openControlSocket(parts, status)

  return {
    status,
    async stop() {
      relay.stopping()
      await control.close()
      stopMaintenance()
      await stopWork(parts, relay)
    },
  }
}

/** First stops the sender, then passes the last events to the relay, and then closes the journal. */
async function stopWork({ messaging, modems, settings, store }: AgentParts, relay: RelayLink): Promise<void> {
  messaging.sender.stop()
  await messaging.sender.settled()
  // The journal answers in order, so this read resolves after all earlier writes.
  await store.journal.read('marks', {})
  modems.reporter.stop()
  relay.waitingReporter.stop()
  await modems.fleet.stop()
  messaging.receiver.stop()
  await relay.link.flushed(flushLimitMs)
  relay.link.stop()
  await relay.markWriter.stop()
  settings.stop()
  await store.journal.close()
}

/**
 * How long a stop waits until the relay has stored the last events. Events that are not stored by then are sent after
 * the next start.
 */
const flushLimitMs = 1_000
