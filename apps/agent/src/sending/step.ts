import type { Change } from '../journal/change.ts'
import type { DoubtState } from './doubt/doubts.ts'
import type { OutgoingMessage } from './message/message.ts'
import type { Lane, ScheduleState } from './schedule/lanes.ts'
import type { Moment, SendingEffect, SendingState } from './sending-state.ts'

/** The state and effects of one step while it is computed. The initial state is not changed. */
export class Step {
  readonly moment: Moment
  readonly effects: SendingEffect[] = []
  #state: SendingState

  constructor(state: SendingState, moment: Moment) {
    this.#state = state
    this.moment = moment
  }

  get state(): SendingState {
    return this.#state
  }

  change(change: Partial<Omit<SendingState, 'open'>>): void {
    this.#state = { ...this.#state, ...change }
  }

  changeSchedule(change: Partial<ScheduleState>): void {
    this.change({ schedule: { ...this.#state.schedule, ...change } })
  }

  putLane(lane: Lane): void {
    this.changeSchedule({ lanes: this.#state.schedule.lanes.with(lane.sim.iccid, lane) })
  }

  changeDoubt(change: Partial<DoubtState>): void {
    this.change({ doubt: { ...this.#state.doubt, ...change } })
  }

  message(cmdId: string): OutgoingMessage | undefined {
    return this.#state.open.get(cmdId) ?? this.#state.remembered.get(cmdId)
  }

  put(message: OutgoingMessage): OutgoingMessage {
    if (this.#state.open.has(message.cmdId)) this.add(message)
    else if (this.#state.remembered.has(message.cmdId)) {
      this.change({ remembered: withEntry(this.#state.remembered, message.cmdId, message) })
    }
    return message
  }

  add(message: OutgoingMessage): void {
    this.#changeOpen(this.#state.open.with(message.cmdId, message))
  }

  removeOpen(cmdId: string): void {
    this.#changeOpen(this.#state.open.without(cmdId))
  }

  emit(effect: SendingEffect): void {
    this.effects.push(effect)
  }

  write(
    changes: readonly Change[],
    then: Omit<Extract<SendingEffect, { kind: 'write' }>, 'kind' | 'changes'> = {},
  ): void {
    this.emit({ kind: 'write', changes, ...then })
  }

  #changeOpen(open: SendingState['open']): void {
    this.#state = { ...this.#state, open }
  }
}

export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value)
}

export function withoutEntry<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map
  const copy = new Map(map)
  copy.delete(key)
  return copy
}
