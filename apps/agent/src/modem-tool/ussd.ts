import type { Connection } from './connection.ts'
import { print } from './print.ts'
import { linesOf } from './printable.ts'
import { ToolError } from './tool-error.ts'

/** A code, then a reply for each menu that the network answers with. */
export async function ussd(connection: Connection, codes: readonly string[]): Promise<void> {
  const modem = await connection.ready('network')
  for (const [at, code] of codes.entries()) {
    const outcome = await modem.ussd(code)
    switch (outcome.kind) {
      case 'answer':
        if (outcome.status === 'not-supported') throw new ToolError('The network does not know this code.')
        if (outcome.status === 'network-timeout') throw new ToolError('The network took too long.')
        for (const line of linesOf(outcome.text ?? `(${outcome.status})`)) print(line)
        if (outcome.status === 'asks' && at + 1 === codes.length) {
          print('(the network waits for a reply: give it behind the code)')
          await modem.cancelUssd()
        }
        if (outcome.status !== 'asks' && at + 1 < codes.length) throw new ToolError('The network asks for no reply.')
        break
      case 'refused':
        throw new ToolError(`${outcome.error.text}. ${outcome.error.words} ${outcome.error.advice}`)
      case 'no-answer':
        throw new ToolError('The network did not answer.')
      case 'text-not-writable':
        throw new ToolError('A code for this modem may hold plain letters, digits and signs, no quotation mark.')
      case 'not-ready':
        throw new ToolError('The modem was lost before the network answered.')
    }
  }
}
