import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiClient, eventually } from './api-client.ts'
import { Emulator } from './emulator.ts'
import { freePort } from './machine/free-port.ts'
import { mainScripts } from './machine/main-scripts.ts'
import { placeDatabase } from './machine/prepared-database.ts'
import { HouseProcess, logged } from './machine/process.ts'

export interface HouseOptions {
  readonly modems?: readonly Readonly<Record<string, string>>[]
  readonly relay?: Readonly<Record<string, string>>
  readonly agent?: Readonly<Record<string, string>>
  /** False to start the agent later. */
  readonly startsAgent?: boolean
}

/** A relay with its database, an agent that is paired with a token, and virtual modems, all as real processes. */
export class House {
  readonly folder: string
  readonly emulator: Emulator
  readonly api: ApiClient
  readonly relayUrl: string
  readonly user: { readonly username: string; readonly password: string }
  readonly #options: HouseOptions
  readonly secrets: Readonly<Record<string, string>>
  relay: HouseProcess
  agent: HouseProcess | undefined
  #agents = 0

  private constructor(parts: {
    folder: string
    emulator: Emulator
    relay: HouseProcess
    relayUrl: string
    secrets: Readonly<Record<string, string>>
    options: HouseOptions
  }) {
    this.folder = parts.folder
    this.emulator = parts.emulator
    this.relay = parts.relay
    this.relayUrl = parts.relayUrl
    this.secrets = parts.secrets
    this.#options = parts.options
    this.user = { username: 'sms', password: parts.secrets['ADMIN_PASSWORD'] ?? '' }
    this.api = new ApiClient(parts.relayUrl, this.user)
  }

  static async start(options: HouseOptions = {}): Promise<House> {
    const folder = mkdtempSync(join(tmpdir(), 'smsgw-e2e-'))
    const secrets = {
      SERVER_SECRET: randomBytes(32).toString('base64'),
      ADMIN_USERNAME: 'sms',
      ADMIN_PASSWORD: randomBytes(12).toString('base64url'),
      ENROLMENT_TOKEN: randomBytes(32).toString('base64url'),
    }
    if (options.relay?.['DATABASE_URL'] === undefined) placeDatabase(join(folder, 'relay'))
    const emulator = await Emulator.start(folder, options.modems)
    const { relay, url } = await startRelay(folder, secrets, options, String(await freePort()))
    const house = new House({ folder, emulator, relay, relayUrl: url, secrets, options })
    if (options.startsAgent !== false) await house.startAgent()
    return house
  }

  /** Resolves when the agent is connected and its SIMs are registered. @param more settings for this start only */
  async startAgent(more: Readonly<Record<string, string>> = {}, isReadyAwaited = true): Promise<HouseProcess> {
    const dataDir = join(this.folder, 'agent')
    mkdirSync(dataDir, { recursive: true })
    this.#agents += 1
    const agent = new HouseProcess(`agent ${this.#agents}`, mainScripts.agent, ['run'], {
      DATA_DIR: dataDir,
      RELAY_URL: this.relayUrl.replace('http', 'ws'),
      ENROLMENT_TOKEN: this.secrets['ENROLMENT_TOKEN'] ?? '',
      MODEMS: this.emulator.ports.map((ports) => ports[1]).join(),
      ...this.#options.agent,
      ...more,
    })
    this.agent = agent
    if (isReadyAwaited) await this.untilReady()
    return agent
  }

  async untilReady(): Promise<void> {
    const sims = this.emulator.ports.length
    await eventually(
      async () => (await this.api.ask('GET', '/devices').catch(() => undefined))?.json,
      (devices) =>
        devices?.length === 1 &&
        devices[0].online &&
        devices[0].simCards.filter(({ state }: { state: string }) => state === 'ready').length === sims,
      // Allows for the pause of an agent after many refusals, which is up to a minute.
      150_000,
    )
  }

  async restartRelay(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const port = new URL(this.relayUrl).port
    const { relay } = await startRelay(
      this.folder,
      this.secrets,
      { ...this.#options, relay: { ...this.#options.relay, ...more } },
      port,
    )
    this.relay = relay
  }

  /** Kills the PostgreSQL of the relay, which the relay restarts. */
  killDatabase(): void {
    const file = join(this.folder, 'relay', 'database', 'postmaster.pid')
    process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
  }

  async stop(): Promise<void> {
    // Stops the other processes even if one does not end.
    const ends = await Promise.allSettled([this.agent?.stop(), this.relay.stop(), this.emulator.process.stop()])
    rmSync(this.folder, { recursive: true, force: true })
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

async function startRelay(
  folder: string,
  secrets: Readonly<Record<string, string>>,
  options: HouseOptions,
  port: string,
): Promise<{ readonly relay: HouseProcess; readonly url: string }> {
  const relay = new HouseProcess('relay', mainScripts.relay, [], {
    DATA_DIR: join(folder, 'relay'),
    PORT: port,
    WEBHOOK_ALLOW_HTTP: '1',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    ...secrets,
    ...options.relay,
  })
  const { url } = await relay.said(logged('relay listening'))
  return { relay, url: String(url) }
}
