import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { catalogue } from '../src/profiles/catalogue.ts'
import { layoutRules } from '../src/profiles/usb-layouts.ts'
import { roleOfUsbPort } from '../src/profiles/usb-port.ts'

/**
 * Compares the table of USB ports with the udev rules of ModemManager. Only the installed package is read, and only
 * facts are compared.
 *
 * node libs/modem/oracle/compare-usb-ports.ts [--rules folder] [--optional]
 *
 * Exits with code 1 if it finds a difference that ModemManager has not corrected in a later version, or if ModemManager
 * is not installed and `--optional` is not given.
 */
const { values } = parseArgs({
  options: {
    rules: { type: 'string' },
    optional: { type: 'boolean', default: false },
  },
})

/** Errors of earlier versions of ModemManager that version 1.24.2 has corrected. */
const corrected = new Set(['1e2d:0061 interface 0', '1e2d:0061 interface 2', '2cb7:01a2 interface 3'])

const folders = values.rules === undefined ? ['/usr/lib/udev/rules.d', '/lib/udev/rules.d'] : [values.rules]
const folder = folders.find((each) => existsSync(each) && readdirSync(each).some((name) => name.startsWith('77-mm-')))
if (folder === undefined) {
  print('ModemManager is not installed, so nothing was compared. Install it: sudo apt-get install modemmanager')
  process.exit(values.optional ? 0 : 1)
}

const rules = [...layoutRules, ...catalogue.flatMap(({ usb }) => usb)]
const roles: Readonly<Record<string, string>> = {
  AT_PRIMARY: 'at',
  AT_SECONDARY: 'at-secondary',
  AT_PPP: 'ppp',
  GPS: 'nmea',
  QCDM: 'diagnostic',
  AUDIO: 'audio',
}

let facts = 0
let differences = 0
for (const name of readdirSync(folder).filter((file) => file.startsWith('77-mm-'))) {
  for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) compareLine(line)
}
print(`ModemManager: ${facts} facts about ports`)
print(`${differences} differences`)
process.exit(differences === 0 ? 0 : 1)

function compareLine(line: string): void {
  if (line.startsWith('#')) return
  const [, vendor, product] = /idVendor\}=="(\w{4})".*idProduct\}=="(\w{4})"/.exec(line) ?? []
  const interfaceNumber = /MM_USBIFNUM\}=="(\w\w)"/.exec(line)?.[1]
  const role = roles[/ID_MM_PORT_TYPE_(\w+)\}="1"/.exec(line)?.[1] ?? '']
  if (vendor === undefined || product === undefined || interfaceNumber === undefined || role === undefined) return
  facts += 1
  const id = `${vendor}:${product}`.toLowerCase()
  const port = { id, interfaceNumber: Number.parseInt(interfaceNumber, 16), interfaceClass: undefined }
  const ours = roleOfUsbPort(rules, port)?.role
  // Skips devices whose only port reports positions, because the table does not list them.
  if (ours === role || (ours === undefined && !role.startsWith('at') && role !== 'ppp')) return
  report(`${id} interface ${port.interfaceNumber}`, `ModemManager: ${role}, here: ${ours ?? 'not listed'}`)
}

function report(subject: string, difference: string): void {
  if (corrected.has(subject)) return
  differences += 1
  print(`DIFFERENT  ${subject}: ${difference}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
