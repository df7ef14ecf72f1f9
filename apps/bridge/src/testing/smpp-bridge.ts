import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { SmsGateway } from '@smsgw/client'
import { AuthenticationError } from '@smsgw/client/errors'
import { openLog } from '@smsgw/daemon/log/log'
import { afterEach, beforeEach, expect } from 'vitest'
import { smppSettings } from '../config.ts'
import { SESSION_TIMES, type SessionTimes } from '../smpp/session/smpp-session.ts'
import { startSmppBridge } from '../smpp/start-smpp-bridge.ts'
import { Notes, openState } from '../state/bridge-state.ts'
import { RunningTime } from '../state/running-time.ts'
import { ScriptedAccount } from './account.ts'
import { TestSmppClient } from './smpp-client.ts'

export const KEY = 'smsgw_live_7hYt2QmVx9Kd_secret'
export const REVOKED_KEY = 'smsgw_live_9aBcDeFgHiJk_secret'
export const LOGIN = { system_id: 'app', password: KEY }
export const NUMBER = '447400123456'
export const SMS = { dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: NUMBER, short_message: 'Hello' }

/**
 * An SMPP bridge of one account. Its state stays on disk until the end of the test, so that the bridge can be started
 * again.
 */
export class TestSmppBridge {
  readonly account = new ScriptedAccount()
  readonly folder = mkdtempSync(join(tmpdir(), 'smsgw-smpp-'))
  /** The account of another owner, with its own key. */
  readonly otherAccount = new ScriptedAccount()
  /** All log lines. */
  readonly logged = new PassThrough()
  logins = 0
  port = 0
  tlsPort = 0
  #stop: () => Promise<void> = async () => undefined
  readonly #clients: TestSmppClient[] = []

  async start(settings: Readonly<Record<string, string>> = {}, times: Partial<SessionTimes> = {}): Promise<void> {
    const database = openState(this.folder)
    const log = openLog('trace', this.logged)
    const runningTime = new RunningTime(database, log)
    const bridge = await startSmppBridge({
      config: smppSettings.parse({ SMPP_PORT: '0', ...settings }),
      connect: ({ credentials }) => {
        if (credentials === undefined) return this.account.client()
        this.logins += 1
        if ('apiKey' in credentials && credentials.apiKey === KEY) return this.account.client()
        if ('apiKey' in credentials && credentials.apiKey === `${KEY}2`) return this.otherAccount.client()
        if ('apiKey' in credentials && credentials.apiKey === REVOKED_KEY) return this.#revokedClient()
        if ('password' in credentials && credentials.password === 'tea at half past four') return this.account.client()
        const refuse = async () => {
          await this.account.beforeCheck
          throw new AuthenticationError({ status: 401, message: 'wrong' })
        }
        return { messages: { send: refuse }, inbox: { list: () => ({ page: refuse }) } } as unknown as ReturnType<
          ScriptedAccount['client']
        >
      },
      database,
      now: runningTime.now,
      log,
      times: { ...SESSION_TIMES, refusalMs: 50, ...times },
    })
    this.port = bridge.port ?? 0
    this.tlsPort = bridge.tlsPort ?? 0
    this.#stop = async () => {
      await bridge.stop()
      runningTime.stop()
      database.close()
    }
    // After this step, the bridge forwards received messages.
    await expect.poll(() => new Notes(database).read('smpp.followed-until')).toBeDefined()
  }

  /** A key that is revoked after the bind. */
  #revokedClient(): SmsGateway {
    const api = this.account.client()
    const get = () => Promise.reject(new AuthenticationError({ status: 401, message: 'the API key is revoked' }))
    return { messages: api.messages, inbox: { list: api.inbox.list, get } } as unknown as SmsGateway
  }

  async stop(): Promise<void> {
    await this.#stop()
    this.#stop = async () => undefined
  }

  async connect(): Promise<TestSmppClient> {
    const client = await TestSmppClient.connect(this.port)
    this.#clients.push(client)
    return client
  }

  async bound(command = 'bind_transceiver', login: object = LOGIN): Promise<TestSmppClient> {
    const client = await this.connect()
    expect(await client.statusOf(command, login)).toBe('ESME_ROK')
    return client
  }

  async end(): Promise<void> {
    for (const client of this.#clients) client.destroy()
    await this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Registers the hooks that start a bridge for each test. */
export function withSmppBridge(): { readonly bridge: TestSmppBridge } {
  const current = { bridge: undefined as unknown as TestSmppBridge }
  beforeEach(() => {
    current.bridge = new TestSmppBridge()
  })
  afterEach(() => current.bridge.end())
  return current
}
