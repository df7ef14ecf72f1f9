import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { BenchDatabase } from '../bench-database.ts'
import type { BenchRelays } from '../bench-relays.ts'

export interface BareRoute {
  readonly url: string
  stop(): Promise<void>
}

/** Starts `bare-route.ts` as a separate process. */
export async function startBareRoute(
  { url }: BenchDatabase,
  { accountId, deviceId }: BenchRelays,
  connections: number,
): Promise<BareRoute> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare-route.ts')], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      ACCOUNT_ID: accountId,
      DEVICE_ID: deviceId,
      CONNECTIONS: String(connections),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return {
    url: String(line),
    async stop() {
      child.kill()
      await ended
    },
  }
}
