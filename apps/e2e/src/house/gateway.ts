import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiClient, eventually } from './api-client.ts'
import { mainScripts } from './machine/main-scripts.ts'
import { placeDatabase } from './machine/prepared-database.ts'
import { HouseProcess, ROOT } from './machine/process.ts'

/** A gateway with its own data folder, as `npm start` runs it. */
export class Gateway {
  readonly process: HouseProcess
  readonly url: string
  readonly folder: string
  readonly api: ApiClient

  private constructor(process: HouseProcess, url: string, folder: string) {
    this.process = process
    this.url = url
    this.folder = folder
    this.api = new ApiClient(url, credentialsIn(folder))
  }

  /**
   * Runs the program of the gateway, or `npm start` if `command` is `npmStart`. Without `folder`, the data folder
   * contains a prepared database.
   */
  static async start(
    settings: Readonly<Record<string, string>> = {},
    { folder = preparedFolder(), command = gatewayProgram }: { folder?: string; command?: GatewayCommand } = {},
  ): Promise<Gateway> {
    const process = command({ DATA_DIR: folder, PORT: '0', MODEMS: 'virtual', ...settings })
    const url = await process.said((line) => /running at\s+(http\S+)/.exec(line)?.[1])
    await process.said((line) => (line.includes('Ctrl-C') ? line : undefined))
    return new Gateway(process, url, folder)
  }

  async untilReady(sims = 1): Promise<void> {
    await eventually(
      async () => (await this.api.ask('GET', '/devices').catch(() => undefined))?.json?.[0],
      (device) =>
        device?.online && device.simCards.filter(({ state }: { state: string }) => state === 'ready').length >= sims,
    )
  }

  async stop(): Promise<void> {
    await this.process.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

type GatewayCommand = (settings: Readonly<Record<string, string>>) => HouseProcess

/** Returns the program of a gateway of another release. */
export const gatewayOf =
  (main: string): GatewayCommand =>
  (settings) =>
    new HouseProcess('gateway', main, [], settings)

const gatewayProgram = gatewayOf(mainScripts.gateway)

export const npmStart: GatewayCommand = (settings) =>
  new HouseProcess('npm start', 'npm', ['start'], settings, { folder: ROOT })

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'smsgw-gateway-'))
}

/** Returns the data folder of a gateway that has created its database and its secret, but has never run. */
export function preparedFolder(): string {
  const folder = newFolder()
  placeGatewayDatabase(folder)
  return folder
}

export function placeGatewayDatabase(folder: string): void {
  // Without a secret, the gateway would refuse the database as the data of a relay.
  if (placeDatabase(folder)) writeFileSync(join(folder, 'server-secret'), `${randomBytes(32).toString('base64')}\n`)
}

export function credentialsIn(folder: string): { readonly username: string; readonly password: string } {
  return JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'))
}
