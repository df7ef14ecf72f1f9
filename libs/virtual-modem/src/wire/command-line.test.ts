import { expect, test } from 'vitest'
import { parseCommandLine } from './command-line.ts'

const parsed = (line: string) =>
  parseCommandLine(line).map((command) => command && `${command.name} ${command.form} ${command.parameters}`.trim())

test.each([
  ['', []],
  ['I', ['I execute']],
  ['E0', ['E execute 0']],
  ['e0v1', ['E execute 0', 'V execute 1']],
  ['E0+CMEE=1', ['E execute 0', '+CMEE set 1']],
  ['&F&C1', ['&F execute', '&C execute 1']],
  ['S3=13', ['S set 3=13']],
  ['S5?', ['S read 5']],
  ['S7=?', ['S test 7']],
  ['+CSQ', ['+CSQ execute']],
  ['+csq;+creg?;+cops=?', ['+CSQ execute', '+CREG read', '+COPS test']],
  [' + '.trim(), [undefined]],
  ['+CPBW=1,"a;b",129,"x"', ['+CPBW set 1,"a;b",129,"x"']],
  ['D+4420;', ['D execute +4420;']],
  ['D*99#', ['D execute *99#']],
  ['^ICCID?', ['^ICCID read']],
  ['*PSUTTZ', ['*PSUTTZ execute']],
  ['+CPIN="1234";;+CSQ', ['+CPIN set "1234"', '+CSQ execute']],
  ['+CMGS = 23', ['+CMGS set 23']],
  ['+CSQ=?1', [undefined]],
  ['+CSQ;!', ['+CSQ execute', undefined]],
  ['+CPBF="open', ['+CPBF set "open']],
] satisfies [string, (string | undefined)[]][])('AT%s is parsed as V.250 specifies', (line, commands) => {
  expect(parsed(line)).toEqual(commands)
})

test('runs nothing after text that is not a command', () => {
  expect(parsed('!+CSQ')).toEqual([undefined])
})
