import { linesOf, printLine } from '../cli/terminal.ts'
import { type Connection, ToolError } from './connection.ts'

/** Sends a code, then the replies to the menus of the network. */
export async function printUssd(connection: Connection, codes: readonly string[]): Promise<void> {
  const modem = await connection.ready('network')
  for (const [at, code] of codes.entries()) {
    const outcome = await modem.ussd(code)
    switch (outcome.kind) {
      case 'answer':
        if (outcome.status === 'not-supported') throw new ToolError('The network does not support this USSD code.')
        if (outcome.status === 'network-timeout') throw new ToolError('The network did not answer in time.')
        for (const line of linesOf(outcome.text ?? `(${outcome.status})`)) printLine(line)
        if (outcome.status === 'asks' && at + 1 === codes.length) {
          printLine('(the network expects a reply: add it after the code)')
          await modem.cancelUssd()
        }
        if (outcome.status !== 'asks' && at + 1 < codes.length)
          throw new ToolError('The network does not expect a reply.')
        break
      case 'refused':
        throw new ToolError(`${outcome.error.text}. ${outcome.error.words} ${outcome.error.advice}`)
      case 'no-answer':
        throw new ToolError('The network did not answer.')
      case 'text-not-writable':
        throw new ToolError(
          'This modem cannot send these characters. Use unaccented letters, digits and punctuation, but no quotation marks.',
        )
      case 'not-ready':
        throw new ToolError('The modem was lost before the network answered.')
    }
  }
}
