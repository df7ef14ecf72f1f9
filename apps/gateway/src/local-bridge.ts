import { join } from 'node:path'
import type { Channels } from '@smsgw/bridge/config'
import { type Bridge, startBridge } from '@smsgw/bridge/start-bridge'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'

export interface LocalBridgeOptions {
  /** The URL at which this gateway listens, or the setting SMSGW_URL. */
  readonly url: string
  /** Returns the current credentials of the account of this gateway. */
  readonly credentials: () => { readonly username: string; readonly password: string }
  readonly channels: Channels
  readonly dataDir: string
  readonly log: Log
}

/** Throws if the bridge cannot reach a gateway with these settings. */
export function requireBridgeAddress({
  SMSGW_URL: url,
  HOST: host,
  TLS_CERT: certificate,
}: {
  readonly SMSGW_URL: string | undefined
  readonly HOST: string
  readonly TLS_CERT: string | undefined
}): void {
  const shown = host.includes(':') ? `[${host}]` : host
  loopbackUrl(url || `${certificate === undefined ? 'http' : 'https'}://${shown}:443`)
}

/** Starts the bridge inside a gateway. The bridge uses the API over loopback, like a bridge on another machine. */
export async function startLocalBridge({
  url,
  credentials,
  channels,
  dataDir,
  log,
}: LocalBridgeOptions): Promise<Bridge> {
  const api = {
    url: loopbackUrl(url),
    credentials: credentials(),
    // Reads the credentials for each request, so that a changed password is used at once.
    fetch: (target: string | URL | Request, init: RequestInit = {}) =>
      fetch(target, { ...init, headers: { ...init.headers, authorization: basic(credentials()) } }),
  }
  return await startBridge({ api, channels, dataDir: join(dataDir, 'bridge'), log })
}

function basic({ username, password }: { readonly username: string; readonly password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** The certificate of a gateway names its public address, so a TLS connection needs that address. */
function loopbackUrl(url: string): string {
  const local = url.replace(/\/\/0\.0\.0\.0(?=:)/, '//127.0.0.1').replace(/\/\/\[::\](?=:)/, '//[::1]')
  if (!/^https:\/\/(?:127\.|\[::1\])/.test(local)) return local
  throw new StartError(
    'TLS_CERT is set, so the bridge needs SMSGW_URL: set it to the address of this gateway, with a host name from the certificate',
  )
}
