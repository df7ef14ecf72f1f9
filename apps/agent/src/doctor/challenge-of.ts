import { readRelayFrame } from '@smsgw/link/frame-text'
import { commonVersion, spokenVersions } from '@smsgw/link/versions'
import { webSocketTo } from '../link/web-socket.ts'

type Greeting =
  | { readonly kind: 'greeted'; readonly isVersionShared: boolean }
  | { readonly kind: 'failed'; readonly words: string }

/** A relay speaks first: its first frame tells that it is one, and which versions of the link it speaks. */
export function challengeOf(url: string): Promise<Greeting> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end({ kind: 'failed', words: 'it does not answer' }), limitMs)
    const end = (greeting: Greeting) => {
      clearTimeout(timer)
      resolve(greeting)
      socket.close(1000, 'seen')
    }
    const socket = webSocketTo(url)({
      onOpened: () => undefined,
      onText: (text) => {
        const reading = readRelayFrame(text)
        if (reading.kind !== 'frame' || reading.frame.type !== 'challenge') {
          end({ kind: 'failed', words: 'what answers there is no relay' })
        } else {
          const isVersionShared = commonVersion(spokenVersions, reading.frame.versions) !== undefined
          end({ kind: 'greeted', isVersionShared })
        }
      },
      onClosed: (code, reason) => end({ kind: 'failed', words: reason || `it closes the connection (${code})` }),
    })
  })
}

const limitMs = 10_000
