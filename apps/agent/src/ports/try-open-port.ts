import { type OpenPort, openPort } from './open-port.ts'
import { PortError } from './port-error.ts'

export type OpenAttempt =
  | { readonly kind: 'opened'; readonly port: OpenPort }
  | { readonly kind: PortError['problem']; readonly words: string }

/** For who goes on trying: a port that cannot be opened is an answer, not an error. */
export async function tryOpenPort(address: string): Promise<OpenAttempt> {
  try {
    return { kind: 'opened', port: await openPort(address) }
  } catch (error) {
    if (error instanceof PortError) return { kind: error.problem, words: error.message }
    throw error
  }
}
