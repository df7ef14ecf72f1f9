import { helpText, readCommandLine } from '@smsgw/daemon/command-line'
import { expect, test } from 'vitest'
import { gatewayCommands } from './commands.ts'

test('takes the settings of its agent as options', () => {
  const { settings } = readCommandLine(gatewayCommands, ['--send-while-roaming', '0', '--power-cycle', 'usb'])
  expect(settings).toEqual({ SEND_WHILE_ROAMING: '0', POWER_CYCLE: 'usb' })
})

test('lists the settings of its modems and SIMs in the help', () => {
  const help = helpText(gatewayCommands)
  for (const name of ['HILINK_PASSWORD', 'HANG_UP_CALLS', 'EMULATED_MODEMS', 'SIM_1_PIN'])
    expect(help).toContain(`  ${name}=`)
})

test('leaves out settings that have no effect in a gateway', () => {
  const help = helpText(gatewayCommands)
  for (const name of ['RELAY_URL', 'DEVICE_NAME', 'ENROLMENT_TOKEN', 'ADMIN_USERNAME', 'DIRECTORY_URL'])
    expect(help).not.toContain(`  ${name}=`)
})
