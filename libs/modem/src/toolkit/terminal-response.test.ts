import { expect, test } from 'vitest'
import { terminalResponseTo } from './terminal-response.ts'

// The commands are built by hand from ETSI TS 102 223 §6.6 and §8.

test.each([
  ['DISPLAY TEXT ends by the user', 'D00F8103012180820281028D0404486921', '810301218082028281830110'],
  ['GET INPUT ends by the user', 'D00B8103042300820281828D00', '810304230082028281830110'],
  ['SET UP MENU is accepted', 'D00B810301250082028182850141', '810301250082028281830100'],
  ['SET UP EVENT LIST is accepted', 'D00C810301050082028182990105', '810301050082028281830100'],
  ['SET UP CALL is beyond the capabilities', 'D00E81030110008202818386038121F3', '810301100082028281830130'],
  ['tags without the comprehension bit', 'd0090103022101020281028d', '810302210182028281830110'],
  ['a length of two octets', `D081800103032100${'00'.repeat(123)}`, '810303210082028281830110'],
])('%s', (_, command, response) => {
  expect(terminalResponseTo(command)).toBe(response)
})

test.each(['', 'D', 'hello', 'D0', 'D00381030', 'D005810401218000', 'D1098103012180', 'D0038103'])(
  '%j is not a proactive command',
  (text) => {
    expect(terminalResponseTo(text)).toBeUndefined()
  },
)
