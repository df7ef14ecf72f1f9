import type { Fleet } from './fleet.ts'

/** Of relays, agents and modems those that do not serve at the moment, by name. */
async function ailing(fleet: Fleet): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  const answers = await Promise.all(
    fleet.relays.map(({ url }) =>
      fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined),
    ),
  )
  for (const [at, { post }] of fleet.relays.entries()) if (answers[at]?.status !== 200) found.add(post.name)
  const devices = await devicesOf(fleet)
  for (const { post, modems, numbers } of fleet.agents) {
    const device = devices.find(({ simCards }) =>
      simCards.some(({ phoneNumber }) => numbers.includes(phoneNumber ?? '')),
    )
    if (!device?.online) found.add(post.name)
    for (const [at, modem] of modems.entries()) {
      const sim = device?.simCards.find(({ phoneNumber }) => phoneNumber === numbers[at])
      if (!device?.online || sim?.state !== 'ready') found.add(modem)
    }
  }
  return found
}

interface Device {
  readonly online: boolean
  readonly simCards: readonly { readonly phoneNumber?: string; readonly state: string }[]
}

async function devicesOf({ relays }: Fleet): Promise<readonly Device[]> {
  for (const { api } of relays) {
    const answer = await api.ask('GET', '/devices', undefined, {}, 2_000).catch(() => undefined)
    if (answer?.status === 200) return answer.json
  }
  return []
}

/** What of these still ails when the time is over: nothing, as it should be. */
export async function untilWell(fleet: Fleet, names: readonly string[], limitMs: number): Promise<readonly string[]> {
  const until = performance.now() + limitMs
  for (;;) {
    const found = await ailing(fleet)
    const left = names.filter((name) => found.has(name))
    if (left.length === 0 || performance.now() > until) return left
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export function everything({ relays, agents }: Fleet): readonly string[] {
  return [...relays, ...agents].map(({ post }) => post.name).concat(agents.flatMap(({ modems }) => modems))
}
