import { callUrl } from '../../testing/call-url.ts'

interface Race {
  /** Relays with one database. */
  readonly relays: readonly string[]
  /** Value of the Authorization header. */
  readonly auth: string
  readonly keys: number
  /** The number of POST requests with each key, spread over the relays. */
  readonly postsOfAKey: number
}

interface RaceResult {
  readonly statuses: ReadonlySet<number>
  /** The number of different answers, for each key. */
  readonly answersOfAKey: readonly number[]
  /** The number of answers that were not marked as repeated, for each key. */
  readonly firstsOfAKey: readonly number[]
}

/** Sends the requests in groups, because the number of connections of a process is limited. */
const POSTS_AT_ONCE = 400

/** Sends all requests that have the same key at the same time. As many keys as possible are handled together. */
export async function raceForKeys(race: Race): Promise<RaceResult> {
  const keys = Array.from({ length: race.keys }, (_, index) => `race ${index}`)
  const keysAtOnce = Math.max(1, Math.floor(POSTS_AT_ONCE / race.postsOfAKey))
  const answers: Awaited<ReturnType<typeof raceTogether>> = []
  for (let from = 0; from < keys.length; from += keysAtOnce)
    answers.push(...(await raceTogether(race, keys.slice(from, from + keysAtOnce))))
  const ofKeys = [...Map.groupBy(answers, ({ key }) => key).values()]
  return {
    statuses: new Set(answers.map(({ status }) => status)),
    answersOfAKey: ofKeys.map((some) => new Set(some.map(({ text }) => text)).size),
    firstsOfAKey: ofKeys.map((some) => some.filter(({ headers }) => !headers.has('idempotency-replayed')).length),
  }
}

function raceTogether({ relays, auth, postsOfAKey }: Race, keys: readonly string[]) {
  const posts = Array.from({ length: postsOfAKey }, (_, round) =>
    keys.map(async (key, index) => {
      // Each relay gets requests with every key. The relays take turns with the first request of a key.
      const relay = relays[(index + round) % relays.length]
      const body = { phoneNumbers: ['+4915112345678'], textMessage: { text: key } }
      const headers = { 'idempotency-key': key }
      return { key, ...(await callUrl('POST', `${relay}/3rdparty/v1/messages`, { auth, body, headers })) }
    }),
  )
  return Promise.all(posts.flat())
}
