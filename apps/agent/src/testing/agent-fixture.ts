import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERSION } from '@smsgw/daemon/version'
import type { Clock } from '@smsgw/modem/clock'
import { expect } from 'vitest'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { socketInProcess } from '../link/in-process-socket.ts'
import type { OpenSocket } from '../link/link-socket.ts'
import { tryOpenPort } from '../ports/open-port.ts'
import { type Agent, startAgent } from '../start/start-agent.ts'
import { monotonicClock } from '../time/monotonic-clock.ts'
import { ScriptedRelay } from './scripted-relay.ts'

export interface AgentOverrides {
  readonly clock?: Clock
  readonly openSocket?: OpenSocket
  readonly pin?: string
  readonly isPaired?: boolean
  readonly waitingReportMs?: number
}

/** A complete agent in this process, connected to a scripted relay. */
export class AgentFixture {
  readonly relay = new ScriptedRelay()
  readonly dataDir = mkdtempSync(join(tmpdir(), 'smsgw-agent-'))
  /** Stands for memory that keeps its content until the machine is switched off. */
  readonly memory = mkdtempSync(join(tmpdir(), 'smsgw-memory-'))
  bootId = 'first-boot'
  readonly log: string[] = []
  agent: Agent | undefined

  async start(modems: readonly string[], more: AgentOverrides = {}): Promise<Agent> {
    const write = (message: string) => void this.log.push(message)
    const {
      clock = monotonicClock,
      openSocket = socketInProcess(this.relay.accept),
      pin,
      isPaired = false,
      waitingReportMs,
    } = more
    this.agent = await startAgent({
      dataDir: this.dataDir,
      version: VERSION,
      clock,
      device: {
        name: 'a test',
        identity: AgentIdentity.load(join(this.dataDir, identityFile)),
        credential: isPaired ? undefined : 'one-time-code',
      },
      relay: { url: 'in-process', openSocket, waitingReportMs },
      modems: {
        wanted: { auto: false, addresses: modems },
        open: tryOpenPort,
        sims: { pinOf: () => pin, phoneNumberOf: () => undefined },
      },
      sending: { passphrase: undefined },
      log: { info: write, warn: write, error: write },
      memory: { bootId: this.bootId, folder: this.memory },
      onFatal: (error) => {
        throw error
      },
    })
    return this.agent
  }

  /** Resolves when the modem can send and the relay is connected. */
  async ready(): Promise<void> {
    await expect
      .poll(() => this.agent?.status(), { interval: 10 })
      .toMatchObject({ link: { phase: 'online' }, modems: [{ state: 'ready' }] })
  }

  async stop(): Promise<void> {
    await this.agent?.stop()
    this.agent = undefined
  }

  async dispose(): Promise<void> {
    await this.stop()
    rmSync(this.dataDir, { recursive: true, force: true })
    rmSync(this.memory, { recursive: true, force: true })
  }
}
