import type { AgentProcess } from './agent-process.ts'
import { idOf } from './invariants.ts'
import { skipped } from './model-store.ts'
import type { LinkWorld } from './world.ts'

/** Returns true if no process has work left. */
export function isLinkSettled(world: LinkWorld): boolean {
  const [agent, copy] = world.agents
  if (agent === undefined || !agent.process.isAlive) return false
  if (copy !== undefined) return areDuplicatesSettled(world, agent, copy)
  return agent.isStopped || (isInStep(world, agent) && haveEnded(world) && world.messagesOnSim === 0)
}

/** Returns the broken guarantees after everything has worked for a while. */
export function judgeLink(world: LinkWorld): string[] {
  return [
    ...judgeProgress(world),
    ...judgeSends(world),
    ...judgeReceived(world),
    ...judgeJournal(world),
    ...judgeStops(world),
  ]
}

/**
 * Returns true if both agents have stopped. After a lost welcome or a restart of one agent, the other agent may
 * continue.
 */
function areDuplicatesSettled(world: LinkWorld, one: AgentProcess, other: AgentProcess): boolean {
  if (one.isStopped && other.isStopped) return true
  const { unreadWelcomes, restartsOfAgent } = world.sinceCopy
  const isDisturbed = unreadWelcomes > 0 || restartsOfAgent > 0
  const [stopped, left] = one.isStopped ? [one, other] : [other, one]
  return isDisturbed && stopped.isStopped && isInStep(world, left)
}

function isInStep({ store }: LinkWorld, { state, disk }: AgentProcess): boolean {
  const { phase, outbox } = state
  if (phase.kind !== 'online' || phase.welcome.connEpoch !== store.connEpoch) return false
  const stored = store.journals.get(disk.journalId)?.ids.length ?? 0
  // If retention has removed all events, the agent has nothing left to send, even if the relay did not store some of
  // them.
  return outbox.mark === stored && (stored === disk.events.length || disk.first > disk.events.length)
}

function haveEnded(world: LinkWorld): boolean {
  return openSends(world).length === 0 || isMaimed(world)
}

/** Returns true if a restored database requested events that retention had already removed. */
function isMaimed({ store, agents }: LinkWorld): boolean {
  const lacksFirst = agents.some(({ disk }) => disk.first > 1 + (store.journals.get(disk.journalId)?.ids.length ?? 0))
  return lacksFirst || [...store.journals.values()].some(({ ids }) => ids.includes(skipped))
}

function openSends({ store }: LinkWorld): string[] {
  return [...store.sends.values()].filter(({ outcome }) => outcome === undefined).map(({ command }) => command.cmdId)
}

function judgeProgress(world: LinkWorld): string[] {
  if (isLinkSettled(world)) return []
  const { agents, store, messagesOnSim } = world
  const ends = agents.map(({ state, disk, bootId }) => `${bootId} ${state.phase.kind} ${disk.events.length} events`)
  const stored = [...store.journals].map(([id, { ids }]) => `${id} ${ids.length}`)
  return [`not settled: ${ends}; stored ${stored}; open ${openSends(world)}; ${messagesOnSim} on the SIM`]
}

function judgeSends({ store, accepted, invariants, schedule }: LinkWorld): string[] {
  const problems: string[] = []
  const transmitted = new Set(invariants.ledger.map(({ cmdId }) => cmdId))
  for (const cmdId of accepted) if (!store.sends.has(cmdId)) problems.push(`${cmdId} was accepted and is missing`)
  for (const [cmdId, { outcome }] of store.sends) {
    if (outcome === 'sent' && !transmitted.has(cmdId)) problems.push(`${cmdId} is Sent but was not transmitted`)
    // In other stories, a second disk may have sent a message that this disk cancelled, and a restored database may
    // lack a dispatched message.
    if (schedule.story === 'plain' && (outcome === 'cancelled' || outcome === 'failed') && transmitted.has(cmdId)) {
      problems.push(`${cmdId} is ${outcome}, but was transmitted`)
    }
  }
  return problems
}

function judgeReceived(world: LinkWorld): string[] {
  const { store, invariants, schedule } = world
  // A message may be reported under two journals. Both reports contain the same message id.
  const missing = invariants.factsOfReplaced.filter(
    ({ fact, disk }) => disk === world.agents[0]?.disk && !store.received.includes(fact),
  )
  if (schedule.story === 'old-copy') return missing.map(({ fact }) => `${fact} was in an old journal and is not stored`)
  if (schedule.story === 'duplicate') return []
  if (isMaimed(world)) return []
  return invariants.facts.flatMap((fact) => {
    const times = store.received.filter((id) => id === fact).length
    return times === 1 ? [] : [`${fact} was received and was stored ${times} times`]
  })
}

function judgeJournal(world: LinkWorld): string[] {
  const { agents, store, schedule } = world
  const [agent] = agents
  if (agent === undefined || agents.length > 1) return []
  const { disk } = agent
  const problems: string[] = []
  for (const [index, id] of (store.journals.get(disk.journalId)?.ids ?? []).entries()) {
    const isGone = id === skipped && schedule.story === 'backup' && index + 1 < disk.first
    if (id !== idOf(disk, index + 1) && !isGone)
      problems.push(`event ${index + 1} of ${disk.journalId} is stored as ${id}`)
  }
  return problems
}

/** Agents stop only in the story `duplicate`. Journals are replaced only in that story and in `old-copy`. */
function judgeStops({ agents, schedule, invariants }: LinkWorld): string[] {
  if (schedule.story === 'duplicate') return []
  const problems = agents.filter(({ isStopped }) => isStopped).map(({ bootId }) => `${bootId} stopped`)
  if (schedule.story !== 'old-copy' && invariants.replaced > 0)
    problems.push('a journal was replaced in a story without copies')
  return problems
}
