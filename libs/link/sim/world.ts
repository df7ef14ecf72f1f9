import { RandomChoices } from '@smsgw/simulation/random-choices'
import { VirtualTime } from '@smsgw/simulation/virtual-time'
import type { AgentInput } from '../src/agent/state.ts'
import type { RelayInput } from '../src/relay/state.ts'
import { AgentProcess } from './agent-process.ts'
import { Invariants } from './invariants.ts'
import { copyOfDisk, type ModelDisk, newDisk } from './model-journal.ts'
import { ModelStore } from './model-store.ts'
import { ModelRelay } from './relay-process.ts'
import type { LinkAction, LinkSchedule, LostFrame } from './schedule.ts'
import { type End, type Side, Socket } from './socket.ts'

/** Agents, relays, their database and the network between them, with one virtual clock. */
export class LinkWorld {
  readonly time = new VirtualTime()
  readonly random: RandomChoices
  readonly schedule: LinkSchedule
  readonly store: ModelStore
  readonly invariants: Invariants
  readonly relays: ModelRelay[] = []
  /** The agent of the device, then its copy. */
  readonly agents: AgentProcess[] = []
  /** Counts of events since the copy was started. */
  readonly sinceCopy = { unreadWelcomes: 0, restartsOfAgent: 0 }
  readonly trace: string[] = []
  readonly #tracing: boolean
  readonly #sockets = new Set<Socket>()
  readonly #blocked = new Set<Side>()
  readonly #untilCrash: { agent: number | undefined; relay: number | undefined }
  /** The frames to lose. */
  #losses: LostFrame[] = []
  #isRefusing = false
  #isDatabaseDown = false
  #isCalm = false
  #numbers = 0
  #accepted: string[] = []
  #onSim: string[] = []
  #copy: ModelDisk | undefined
  #backup: { readonly store: ModelStore; readonly accepted: readonly string[] } | undefined

  constructor(schedule: LinkSchedule, tracing: boolean) {
    this.schedule = schedule
    this.random = new RandomChoices(schedule.seed ^ 0x5eed)
    this.#tracing = tracing
    this.#untilCrash = { ...schedule.crashes }
    this.store = new ModelStore(`stream${this.number()}`)
    this.invariants = new Invariants(this)
    for (let relay = 0; relay < schedule.relays; relay += 1) this.relays.push(new ModelRelay(this))
    this.agents.push(new AgentProcess(this, newDisk(`journal${this.number()}`)))
    for (const action of schedule.actions) this.time.after(action.atMs, () => this.#do(action))
  }

  /** Messages answered with 202, except those that a restored backup removed. */
  get accepted(): readonly string[] {
    return this.#accepted
  }

  get messagesOnSim(): number {
    return this.#onSim.length
  }

  /** Returns a new number each time. */
  number(): number {
    this.#numbers += 1
    return this.#numbers
  }

  /** Returns a time that no two events share, so that the time identifies an event. */
  instant(): string {
    return `2026-01-01T00:00:00.${this.number()}Z`
  }

  /** Ends all disturbances. */
  repair(): void {
    this.#isCalm = true
    Object.assign(this.#untilCrash, { agent: undefined, relay: undefined })
    this.#losses = []
    this.#isRefusing = false
    this.#isDatabaseDown = false
    this.#unblock()
    for (const { process } of [...this.relays, ...this.agents]) process.thaw()
  }

  lose(frame: LostFrame): void {
    this.#losses.push(frame)
  }

  /** The number of frames that `lose` actions have requested and that were not sent yet. */
  get framesToLose(): number {
    return this.#losses.length
  }

  openSocket(agent: End): Socket | undefined {
    const alive = this.relays.filter(({ process }) => process.isAlive)
    if (this.#isRefusing || alive.length === 0) return undefined
    const relay = this.random.oneOf(alive)
    const latencyMs = this.random.oneOf(this.#isCalm ? [1, 40] : [1, 1, 40, 400, 3_000])
    const socket = new Socket(this.time, this.random, latencyMs, (from, text) => this.#takeLoss(from, text))
    socket.attach('agent', agent)
    for (const side of this.#blocked) socket.block(side)
    this.#sockets.add(socket)
    relay.process.later(latencyMs, () => relay.accept(socket))
    return socket
  }

  transactionResult(): 'answered' | 'refused' | 'unanswered' {
    if (this.#isDatabaseDown) return this.random.happens(0.7) ? 'refused' : 'unanswered'
    if (this.#isCalm || this.random.happens(0.98)) return 'answered'
    return this.random.happens(0.5) ? 'refused' : 'unanswered'
  }

  takeFromSim(): string[] {
    return this.#onSim.splice(0)
  }

  /** Called before each step of a process. Returns false if the schedule kills the process at this step. */
  mayContinue(process: AgentProcess | ModelRelay): boolean {
    if (!process.process.isAlive) return false
    const kind = process instanceof AgentProcess ? 'agent' : 'relay'
    const left = this.#untilCrash[kind]
    if (left === undefined || (kind === 'agent' && process !== this.agents[0])) return true
    this.#untilCrash[kind] = left > 0 ? left - 1 : undefined
    if (left > 0) return true
    if (process instanceof AgentProcess) this.#restartAgent(this.random.happens(0.5), 500, (disk) => disk)
    else this.#restartRelay(this.relays.indexOf(process), this.random.happens(0.5), 500)
    return false
  }

  note(who: string, input: AgentInput | RelayInput, phase: string): void {
    if (!this.#tracing) return
    this.trace.push(
      `${this.time.nowMs.toFixed(0).padStart(8)} ${who} ${JSON.stringify(input).slice(0, 300)} → ${phase}`,
    )
  }

  #takeLoss(from: Side, text: string): boolean {
    const at = this.#losses.findIndex((frame) => frame === from || text.startsWith(`{"type":"${frame}"`))
    if (at >= 0) this.#losses.splice(at, 1)
    return at >= 0
  }

  #do(action: LinkAction): void {
    if (this.#tracing) this.trace.push(`${this.time.nowMs.toFixed(0).padStart(8)} do ${JSON.stringify(action)}`)
    const [agent] = this.agents
    switch (action.do) {
      case 'accept':
        this.#accept(action.isUrgent ? 100 : 0, action.isHinted)
        break
      case 'cancel': {
        const cmdId = this.#accepted[action.which]
        if (cmdId !== undefined) this.store.cancel(cmdId)
        break
      }
      case 'receive':
        this.#onSim.push(this.invariants.received(`in${this.number()}`))
        agent?.readSim()
        break
      case 'unreadable':
        agent?.writeUnreadable()
        break
      case 'prune':
        agent?.prune(this.random.below(agent.disk.events.length + 1))
        break
      case 'crash-agent':
        this.#restartAgent(action.isNoticed, action.forMs, (disk) => disk)
        break
      case 'freeze-agent':
        agent?.process.freeze(action.forMs)
        break
      case 'crash-relay':
        this.#restartRelay(action.which, action.isNoticed, action.forMs)
        break
      case 'freeze-relay':
        this.relays[action.which]?.process.freeze(action.forMs)
        break
      case 'drain-relay': {
        const relay = this.relays[action.which]
        relay?.process.now(() => relay.drain(action.reconnectAfterMs))
        break
      }
      case 'database-down':
        this.#isDatabaseDown = true
        this.time.after(action.forMs, () => {
          this.#isDatabaseDown = false
        })
        break
      case 'cut':
      case 'block':
      case 'delay':
      case 'lose':
      case 'refuse-connections':
        this.#disturb(action)
        break
      default:
        this.#turn(action.do)
    }
  }

  #disturb(action: LinkAction & { do: 'cut' | 'block' | 'delay' | 'lose' | 'refuse-connections' }): void {
    switch (action.do) {
      case 'cut':
        for (const socket of this.#sockets) socket.cut({ agent: action.agentNotified, relay: action.relayNotified })
        break
      case 'block':
        for (const side of action.side === 'both' ? (['agent', 'relay'] as const) : [action.side])
          this.#blocked.add(side)
        for (const socket of this.#sockets) for (const side of this.#blocked) socket.block(side)
        this.time.after(action.forMs, () => this.#unblock())
        break
      case 'delay':
        for (const socket of this.#sockets) socket.delay(action.ms)
        break
      case 'lose':
        this.lose(action.frame)
        break
      case 'refuse-connections':
        this.#isRefusing = true
        this.time.after(action.forMs, () => {
          this.#isRefusing = false
        })
    }
  }

  /** Runs one action of a story. */
  #turn(what: 'copy-disk' | 'restore-disk' | 'lose-disk' | 'start-copy' | 'back-up' | 'restore-backup'): void {
    const copy = this.#copy
    switch (what) {
      case 'copy-disk':
        this.#copy = copyOfDisk((this.agents[0] as AgentProcess).disk)
        break
      case 'restore-disk':
        if (copy) this.#restartAgent(true, 100, () => copyOfDisk(copy))
        break
      case 'lose-disk':
        this.#restartAgent(true, 100, () => newDisk(`journal${this.number()}`))
        break
      case 'start-copy':
        if (copy) this.agents.push(new AgentProcess(this, copyOfDisk(copy)))
        Object.assign(this.sinceCopy, { unreadWelcomes: 0, restartsOfAgent: 0 })
        break
      case 'back-up': {
        const store = new ModelStore(this.store.streamId)
        store.restore(this.store, this.store.streamId)
        this.#backup = { store, accepted: [...this.#accepted] }
        break
      }
      case 'restore-backup':
        this.#restoreBackup()
    }
  }

  #accept(priority: number, isHinted: boolean): void {
    const cmdId = `send${this.number()}`
    this.#accepted.push(cmdId)
    this.store.accept({
      kind: 'send',
      cmdId,
      messageId: cmdId,
      phoneNumber: '1',
      content: { text: 'x' },
      isEncrypted: false,
      withDeliveryReport: false,
      priority,
      acceptedAt: '2026-01-01T00:00:00Z',
      onUncertain: 'resolve',
    })
    if (isHinted) for (const relay of this.relays) relay.process.later(1, () => relay.wake())
  }

  #restartAgent(isNoticed: boolean, afterMs: number, change: (disk: ModelDisk) => ModelDisk): void {
    const [before] = this.agents
    if (!before?.process.isAlive) return
    before.kill(isNoticed)
    this.sinceCopy.restartsOfAgent += 1
    this.time.after(afterMs, () => {
      const disk = change(before.disk)
      const isContinued = disk === before.disk && before.isTrusted && this.random.happens(0.7)
      this.agents[0] = new AgentProcess(this, disk, isContinued)
    })
  }

  #restartRelay(which: number, isNoticed: boolean, afterMs: number): void {
    const before = this.relays[which]
    if (!before?.process.isAlive) return
    before.kill(isNoticed)
    this.time.after(afterMs, () => {
      this.relays[which] = new ModelRelay(this)
    })
  }

  #restoreBackup(): void {
    const backup = this.#backup
    if (backup === undefined) return
    this.invariants.storeSetBack()
    // A relay may keep running only if the restored database contains the relay's connection. Otherwise the database
    // would refuse the relay's transactions.
    const canGoOn = backup.store.connEpoch === this.store.connEpoch && this.random.happens(0.5)
    if (!canGoOn) for (const which of this.relays.keys()) this.#restartRelay(which, true, 1_000)
    this.store.restore(backup.store, `stream${this.number()}`)
    this.#accepted = [...backup.accepted]
  }

  #unblock(): void {
    this.#blocked.clear()
    for (const socket of this.#sockets) socket.heal()
  }
}
