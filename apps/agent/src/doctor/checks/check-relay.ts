import { reportedHealth } from '@smsgw/contract/relay/health'
import { readRelayFrame } from '@smsgw/link/connection/frame-text'
import { commonVersion, supportedVersions } from '@smsgw/link/connection/versions'
import { webSocketTo } from '../../link/web-socket.ts'
import { type Finding, failFinding, okFinding } from '../finding.ts'
import { checkSkew } from './check-machine.ts'

/** Checks that the relay answers. Does not sign in, because that would disconnect the running agent. */
export async function checkRelay(url: string, nowMs: () => number = Date.now): Promise<readonly Finding[]> {
  const challenge = await readChallenge(url)
  if (challenge.kind === 'failed') {
    return [
      failFinding(
        'relay',
        `${url}: ${challenge.reason}`,
        'check RELAY_URL, the network, and whether the relay is running',
      ),
    ]
  }
  if (!challenge.isVersionShared) {
    return [
      failFinding('relay', 'uses a different protocol version than this agent', 'update the older one of the two'),
    ]
  }
  const health = await askHealth(url, nowMs)
  const text = `${url} answers${health?.version === undefined ? '' : `, version ${health.version}`}`
  return [
    okFinding('relay', text),
    ...(health?.failed ?? []),
    ...(health?.aheadMs === undefined ? [] : [checkSkew(health.aheadMs)]),
  ]
}

/** Returns undefined if the relay does not answer this request, for example because a proxy blocks the path. */
async function askHealth(url: string, nowMs: () => number) {
  const address = new URL(url.replace(/^ws/, 'http'))
  address.pathname = '/health'
  try {
    const before = nowMs()
    const response = await fetch(address, { signal: AbortSignal.timeout(healthLimitMs), redirect: 'error' })
    const middle = (before + nowMs()) / 2
    const relayMs = Date.parse(response.headers.get('date') ?? '')
    const body: unknown = await response.json()
    const { version } = body as { version?: unknown }
    return {
      version: typeof version === 'string' ? version.slice(0, 40) : undefined,
      failed: failedChecks(body),
      // The `Date` header contains whole seconds only, so the middle of the second is the best estimate.
      aheadMs: Number.isNaN(relayMs) ? undefined : middle - relayMs - 500,
    }
  } catch {
    return undefined
  }
}

const healthLimitMs = 5_000

/** Returns the failed checks of the relay, such as a full disk. A relay with a failed check accepts no messages. */
function failedChecks(health: unknown): readonly Finding[] {
  const read = reportedHealth.safeParse(health)
  if (!read.success) return []
  return Object.entries(read.data.checks)
    .filter(([, { status }]) => status === 'fail')
    .map(([name, { description }]) =>
      failFinding(
        'relay health',
        `${name}: ${description}`,
        'solve the problem on the machine of the relay, or ask its operator',
      ),
    )
}

type Challenge =
  | { readonly kind: 'received'; readonly isVersionShared: boolean }
  | { readonly kind: 'failed'; readonly reason: string }

/** Reads the first frame of the relay, which lists the protocol versions that the relay supports. */
function readChallenge(url: string): Promise<Challenge> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end({ kind: 'failed', reason: 'no answer' }), limitMs)
    const end = (challenge: Challenge) => {
      clearTimeout(timer)
      resolve(challenge)
      socket.close(1000, 'check finished')
    }
    const socket = webSocketTo(url)({
      onOpened: () => undefined,
      onText: (text) => {
        const reading = readRelayFrame(text)
        if (reading.kind !== 'frame' || reading.frame.type !== 'challenge') {
          end({ kind: 'failed', reason: 'this server is not a relay' })
        } else {
          const isVersionShared = commonVersion(supportedVersions, reading.frame.versions) !== undefined
          end({ kind: 'received', isVersionShared })
        }
      },
      onClosed: (code, reason) =>
        end({ kind: 'failed', reason: reason || `the relay closed the connection (${code})` }),
      onUnreachable: ({ reason }) => end({ kind: 'failed', reason }),
    })
  })
}

const limitMs = 10_000
