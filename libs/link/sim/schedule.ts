import { RandomChoices } from '@smsgw/simulation/random-choices'

/** The actions of one schedule, chosen before it starts. Only durations are chosen while it runs. */
export interface LinkSchedule {
  readonly seed: number
  readonly story: Story
  readonly relays: number
  readonly actions: readonly LinkAction[]
  /** The number of steps after which the process is killed. */
  readonly crashes: { readonly agent: number | undefined; readonly relay: number | undefined }
  /** True if some transactions and writes take seconds. */
  readonly hasSlowDisks: boolean
  /** The time at which the actions end. After this time, everything works. */
  readonly endMs: number
}

/**
 * `plain`: crashes and a bad network. `old-copy`: the agent's disk is replaced by an older copy, or lost. `duplicate`:
 * a copy of the agent runs at the same time. `backup`: the database is restored from a backup. Stories are never
 * combined, because no single result of a combination would be correct.
 */
export type Story = 'plain' | 'old-copy' | 'duplicate' | 'backup'

/** A frame of the handshake, or any frame of one side. */
export type LostFrame = 'challenge' | 'hello' | 'welcome' | 'agent' | 'relay'

export type LinkAction = { readonly atMs: number } & (
  | { readonly do: 'accept'; readonly isUrgent: boolean; readonly isHinted: boolean }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'receive' }
  | { readonly do: 'unreadable' | 'prune' }
  | { readonly do: 'cut'; readonly agentNotified: boolean; readonly relayNotified: boolean }
  | { readonly do: 'block'; readonly side: 'agent' | 'relay' | 'both'; readonly forMs: number }
  | { readonly do: 'delay'; readonly ms: number }
  /** Loses the next frame of this type, and every later frame in the same direction of the connection. */
  | { readonly do: 'lose'; readonly frame: LostFrame }
  | { readonly do: 'refuse-connections'; readonly forMs: number }
  | { readonly do: 'crash-agent'; readonly isNoticed: boolean; readonly forMs: number }
  | { readonly do: 'freeze-agent'; readonly forMs: number }
  | { readonly do: 'crash-relay'; readonly which: number; readonly isNoticed: boolean; readonly forMs: number }
  | { readonly do: 'freeze-relay'; readonly which: number; readonly forMs: number }
  | { readonly do: 'drain-relay'; readonly which: number; readonly reconnectAfterMs: number }
  | { readonly do: 'database-down'; readonly forMs: number }
  | { readonly do: 'copy-disk' | 'restore-disk' | 'lose-disk' | 'start-copy' | 'back-up' | 'restore-backup' }
)

export function planLinkSchedule(seed: number): LinkSchedule {
  const random = new RandomChoices(seed)
  const story = random.weighted(stories)
  const spanMs = random.oneOf([1_000, 10_000, 60_000, 200_000])
  const count = 6 + random.below(16)
  const weights = { ...everyday, ...themes[story] }
  const actions = Array.from({ length: count }, () => planAction(random, weights, random.below(spanMs)))
  return {
    seed,
    story,
    relays: 1 + random.below(3),
    actions: [...actions, ...plot(random, story, spanMs)].sort((one, next) => one.atMs - next.atMs),
    crashes: {
      agent: random.happens(0.4) ? random.below(150) : undefined,
      relay: random.happens(0.4) ? random.below(150) : undefined,
    },
    hasSlowDisks: true,
    endMs: spanMs,
  }
}

const stories: Readonly<Record<Story, number>> = { plain: 64, 'old-copy': 15, duplicate: 8, backup: 13 }

type Weights = Readonly<Partial<Record<LinkAction['do'], number>>>

const everyday: Weights = {
  ...{
    accept: 40,
    cancel: 6,
    receive: 20,
    unreadable: 2,
    prune: 3,
    cut: 8,
    block: 5,
    delay: 5,
    lose: 4,
    'refuse-connections': 2,
  },
  ...{ 'crash-agent': 6, 'freeze-agent': 3, 'crash-relay': 5, 'freeze-relay': 3, 'drain-relay': 2, 'database-down': 3 },
}

const themes: Readonly<Record<Story, Weights>> = {
  plain: {},
  'old-copy': { 'copy-disk': 4, 'restore-disk': 3, 'lose-disk': 1 },
  duplicate: { 'crash-agent': 2, 'copy-disk': 3 },
  backup: { 'back-up': 2 },
}

/** Returns the actions of the story, which makes a copy and later uses the copy. */
function plot(random: RandomChoices, story: Story, spanMs: number): LinkAction[] {
  const [early, late] = [random.below(spanMs / 2), spanMs / 2 + random.below(spanMs / 2)]
  switch (story) {
    case 'plain':
      return []
    case 'old-copy':
      return [
        { atMs: early, do: 'copy-disk' },
        { atMs: late, do: random.happens(0.8) ? 'restore-disk' : 'lose-disk' },
      ]
    case 'duplicate':
      return [
        { atMs: early, do: 'copy-disk' },
        { atMs: late, do: 'start-copy' },
      ]
    case 'backup':
      return [
        { atMs: early, do: 'back-up' },
        { atMs: late, do: 'restore-backup' },
      ]
  }
}

function planAction(random: RandomChoices, weights: Weights, atMs: number): LinkAction {
  const what = random.weighted(weights)
  const shortMs = random.oneOf([10, 500, 5_000])
  const longMs = random.oneOf([100, 3_000, 30_000, 100_000])
  const isNoticed = random.happens(0.6)
  switch (what) {
    case 'accept':
      return { atMs, do: what, isUrgent: random.happens(0.2), isHinted: random.happens(0.7) }
    case 'cancel':
      return { atMs, do: what, which: random.below(6) }
    case 'cut':
      return { atMs, do: what, agentNotified: random.happens(0.6), relayNotified: random.happens(0.6) }
    case 'block':
      return { atMs, do: what, side: random.oneOf(['agent', 'relay', 'both'] as const), forMs: longMs }
    case 'delay':
      return { atMs, do: what, ms: random.oneOf([200, 3_000, 20_000]) }
    case 'lose':
      return { atMs, do: what, frame: random.oneOf(['challenge', 'hello', 'welcome', 'agent', 'relay'] as const) }
    case 'refuse-connections':
    case 'freeze-agent':
    case 'database-down':
      return { atMs, do: what, forMs: longMs }
    case 'crash-agent':
      return { atMs, do: what, isNoticed, forMs: shortMs }
    case 'crash-relay':
      return { atMs, do: what, which: random.below(3), isNoticed, forMs: shortMs }
    case 'freeze-relay':
      return { atMs, do: what, which: random.below(3), forMs: longMs }
    case 'drain-relay':
      return { atMs, do: what, which: random.below(3), reconnectAfterMs: shortMs }
    default:
      return { atMs, do: what }
  }
}
