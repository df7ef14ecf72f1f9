import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Agent, type AgentParts, startAgent } from '../agent.ts'
import { AgentIdentity, identityFile } from '../link/agent-identity.ts'
import { socketInProcess } from '../link/in-process-socket.ts'
import { monotonicClock } from '../monotonic-clock.ts'
import { tryOpenPort } from '../ports/try-open-port.ts'
import { VERSION } from '../version.ts'
import { ScriptedRelay } from './scripted-relay.ts'

/** A whole agent in this process, linked to a relay that does as it is told. */
export class AgentFixture {
  readonly relay = new ScriptedRelay()
  readonly dataDir = mkdtempSync(join(tmpdir(), 'smsgw-agent-'))
  /** What the machine remembers until it is switched off. */
  readonly memory = mkdtempSync(join(tmpdir(), 'smsgw-memory-'))
  bootId = 'first-boot'
  readonly log: string[] = []
  agent: Agent | undefined

  async start(modems: readonly string[], parts: Partial<AgentParts> = {}): Promise<Agent> {
    const say = (message: string) => void this.log.push(message)
    this.agent = await startAgent({
      dataDir: this.dataDir,
      version: VERSION,
      name: 'a test',
      clock: monotonicClock,
      identity: AgentIdentity.load(join(this.dataDir, identityFile)),
      credential: 'one-time-code',
      relayUrl: 'in-process',
      openSocket: socketInProcess(this.relay.accept),
      openModem: tryOpenPort,
      wanted: { auto: false, addresses: modems },
      pinOf: () => undefined,
      phoneNumberOf: () => undefined,
      passphrase: undefined,
      log: { info: say, warn: say, error: say },
      memory: { bootId: this.bootId, folder: this.memory },
      onFatal: (error) => {
        throw error
      },
      ...parts,
    })
    return this.agent
  }

  /** Its modems take messages, and the relay has welcomed it. */
  async ready(): Promise<void> {
    await expect
      .poll(() => this.agent?.status(), { timeout: 30_000, interval: 10 })
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
