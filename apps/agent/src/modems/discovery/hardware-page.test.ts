import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { catalogue } from '@smsgw/modem/profiles/catalogue'
import { genericProfile } from '@smsgw/modem/profiles/generic'
import { modeSwitchCommand, modeSwitches } from '@smsgw/modem/profiles/mode-switches'
import type { Profile } from '@smsgw/modem/profiles/profile'
import { type UsbLayout, usbLayouts } from '@smsgw/modem/profiles/usb-layouts'
import type { UsbPortRole, UsbRule } from '@smsgw/modem/profiles/usb-port'
import { expect, test } from 'vitest'
import { shortcomingTexts } from '../modem-descriptions.ts'

// `npm run reference` updates the page.

const ROOT = resolve(import.meta.dirname, '../../../../..')
const transcripts = join(ROOT, 'libs/modem/src/profiles/transcripts')

test('docs/hardware.md lists the modems of the tables', async () => {
  const lines = [
    '# Hardware',
    '',
    'This page is generated from the tables that the driver uses. Each row names the source of its information. None of these modems has been',
    'tested as a physical device yet. If your modem is not listed here, the driver tries it with `AT`, and it works if it follows 3GPP 27.005.',
    '[Raspberry Pi](guides/raspberry-pi.md#1-the-modem) says which modems to buy, and `doctor` says what a connected modem lacks.',
    '',
    '## USB modems',
    '',
    'A USB modem has several serial ports, and its descriptors often do not show which of them accepts commands. The port numbers in the',
    'table are USB interface numbers. ModemManager uses only the command port, so the second port is free for other programs. The sources',
    "are *ModemManager*'s udev rules, the *kernel*'s driver, the configuration of *usb_modeswitch*, a manufacturer's *manual*, or users' *reports*.",
    '',
    '| Modem | USB ids | Command port | Second port | Data port | Source |',
    '|---|---|---|---|---|---|',
    ...usbLayouts.map(layoutRow),
    '',
    '## Compared with other programs',
    '',
    'The table and the driver are compared with what other programs know about modems. Only facts are compared, and nothing is copied.',
    '[`npm run oracle`](CONTRIBUTING.md#commands) repeats this with the packages that are installed.',
    '',
    '| Source | Compared | Result |',
    '|---|---|---|',
    '| udev rules of ModemManager 1.24.2 | 547 facts about ports | no difference. Three facts of ModemManager 1.20 are not used, because ModemManager has corrected them |',
    '| usb-modeswitch-data 20251207 | 217 configurations of Huawei, ZTE and Option | all are recognised as modems. 4 modems keep their USB id when they are switched, 10 are modules that are never a disk, and 4 become HiLink sticks. The other modems have 229 different USB ids after the switch. For 141 of these ids, the agent knows the ports; for 88, it finds the ports with `AT` |',
    '| tests of gammu 1.42 | 70 replies of modems | 66 understood. 4 refused: three have invalid digits or an invalid address, and gammu also refuses them; one is an empty memory slot |',
    '| tests of gammu 1.42 | 193 encoded messages | for each message, our codec reads the same number, service centre and text as gammu |',
    '| tests of ModemManager 1.24.2 | 108 replies of modems | 100 understood. 8 refused: in one, the test writes a blank instead of the line end, and in seven, the clock of the modem was not set |',
    '| fake modems of python-gsmmodem-new 0.13 | 58 commands and replies | 57 understood. One lists all possible values of `AT+CFUN` instead of the present value; the driver continues without the value |',
    '| phonesim 2.1 of oFono | 389 commands and replies | all understood |',
    '',
    '## Sharing a modem with ModemManager',
    '',
    'ModemManager keeps the first command port and the data connection, and the gateway uses only the second port',
    '([how](guides/raspberry-pi.md#share-a-modem-with-modemmanager)). This was measured with ModemManager 1.24 on a virtual EC25 with two',
    'ports (`COUNT=10000 apps/emulator/proof/prove-modemmanager-shared.sh`). In less than three minutes, 10 000 messages were sent and',
    '10 000 received, each exactly once. In the same time, ModemManager wrote 2 034 commands to its port. CI repeats this with 200',
    'messages. The udev rules are tested with udev itself on simulated USB devices. Nothing was tested with a physical modem.',
    '',
    '## USB modems that are recognised by vendor or class',
    '',
    'The class, subclass and protocol of an interface are hexadecimal. A `.` stands for any value.',
    '',
    '| USB ids | Interface | Port | Source |',
    '|---|---|---|---|',
    ...catalogue.flatMap(({ usb }) => usb).map(ruleRow),
    '',
    '## Sticks without a command port',
    '',
    '| What `lsusb` and `doctor` show | Reason | What to do |',
    '|---|---|---|',
    '| a disk only (*storage mode*) | The stick offers a disk with Windows drivers until it is switched | Install `usb-modeswitch` and plug the stick in again; `doctor --fix` offers to do both |',
    '| `12d1:14db`, `12d1:14dc`, or another network card (*HiLink*) | The firmware offers a web interface instead of commands | Nothing for a Huawei stick: the agent uses the web interface, [with limits](guides/add-a-modem.md#a-hilink-stick). Otherwise use another modem |',
    ...modeSwitches.map(({ id, name, source }) => {
      const command = modeSwitchCommand(id)?.join(' ')
      return `| \`${id}\` (${name}) | A HiLink stick that the rules of \`usb-modeswitch\` do not switch | \`sudo ${command}\` (source: ${source}); \`doctor --fix\` offers it. As a network card it is used like other HiLink sticks |`
    }),
    '| MBIM or QMI only | The stick is in a mode for data | Switch its USB mode; the command is in its manual |',
    '',
    '## Driver profiles',
    '',
    'A profile contains what differs from the standards. A transcript is a dialogue that the tests play back.',
    '',
    '| Profile | USB vendors | Notes | Transcripts |',
    '|---|---|---|---|',
    ...catalogue.map(profileRow),
    '',
    '## Unusual modems',
    '',
    'A modem that sends and receives is used even if it lacks commands. `status`, `doctor` and the log then show one of these warnings:',
    '',
    ...Object.values(shortcomingTexts).map((words) => `* ${words}`),
    '',
    '## SIM toolkit',
    '',
    'The program on a SIM can ask the modem to show a text or a menu. Some modems pass this on and keep the SIM busy until they get a response.',
    'The agent responds to the codes in this table: a text or question is closed, a menu is accepted, a call is refused. It does not switch the',
    'toolkit off, because a SIM with several identities (multi-IMSI) needs it to change its network. This information comes from the',
    "manufacturers' manuals, and for Huawei and Ericsson from the source code of drivers.",
    '',
    '| Profile | Codes |',
    '|---|---|',
    ...catalogue
      .filter(({ toolkit }) => toolkit.length > genericProfile.toolkit.length)
      .map(({ name, toolkit }) => `| ${name} | ${toolkit.map(({ code }) => `\`${code}\``).join(', ')} |`),
    `| all others | ${genericProfile.toolkit.map(({ code }) => `\`${code}\``).join(', ')} |`,
    '',
    'The agent does not respond to some codes, because we could not find a source for the right response:',
    '',
    '* Quectel: the codes that `AT+QSTK` switches on. The agent does not switch them on. Quectel describes them in',
    '  manuals for the UC20, the EC200U and older modules, which we could not compare.',
    '* Sierra: requests for a key (`!STKC: 22`), for a choice from a list (`!STKC: 24`), for DTMF tones, for a browser, and for a data',
    '  channel. The agent does respond to a text (`!STKC: 21`) and to a request for an input (`!STKC: 23`). Sierra modules send `!STKC`',
    '  only if `AT!CUSTOM="STKUIEN"` has switched it on.',
    '',
  ]
  await expect(lines.join('\n')).toMatchFileSnapshot(join(ROOT, 'docs/hardware.md'))
})

function layoutRow({ name, ids, ports, source }: UsbLayout): string {
  const [vendor] = (ids[0] ?? '').split(':')
  const products = ids.map((id) => id.slice(5)).join(' ')
  const portsWith = (role: UsbPortRole) =>
    ports.filter((port) => port.role === role).map((port) => port.interfaceNumber)
  const cells = [
    name,
    `\`${vendor}:\` ${products}`,
    portsWith('at'),
    portsWith('at-secondary'),
    portsWith('ppp'),
    source,
  ]
  return `| ${cells.map((cell) => (typeof cell === 'string' ? cell : cell.join(', ') || '–')).join(' | ')} |`
}

function ruleRow({ ids, interfaceNumber, interfaceClass, role, words, source }: UsbRule): string {
  const where = [
    interfaceNumber === undefined ? undefined : `interface ${interfaceNumber}`,
    interfaceClass === undefined
      ? undefined
      : `class \`${interfaceClass.source
          .replaceAll('\\', '')
          .replace(/^\^|\$$/g, '')
          .replaceAll('|', ' or ')}\``,
  ].filter((part) => part !== undefined)
  const meaning = words === undefined ? roleNames[role] : `${roleNames[role]}: ${words}`
  return `| ${ids.map((id) => `\`${id}\``).join(', ')} | ${where.join(', ') || 'all'} | ${meaning} | ${source} |`
}

const roleNames: Readonly<Record<UsbPortRole, string>> = {
  at: 'command port',
  'at-secondary': 'second command port',
  ppp: 'data port',
  diagnostic: 'no commands',
  nmea: 'GNSS positions',
  audio: 'audio',
  'not-a-modem': 'none',
}

function profileRow({ name, fingerprints, advice, variants }: Profile): string {
  const vendors = fingerprints.flatMap(({ usb }) => usb ?? []).map((id) => `\`${id}\``)
  const notes = new Set([...advice, ...variants.flatMap(({ changes }) => changes.advice ?? [])])
  const own = readdirSync(transcripts).filter((file) =>
    readFileSync(join(transcripts, file), 'utf8').includes(`# profile ${name}\n`),
  )
  const cells = [vendors.join(', '), [...notes].join(' '), own.map((file) => file.replace('.txt', '')).join(', ')]
  return `| ${[name, ...cells.map((cell) => cell || '–')].join(' | ')} |`
}
