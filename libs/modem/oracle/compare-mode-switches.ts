import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { catalogue } from '../src/profiles/catalogue.ts'
import { modeSwitches } from '../src/profiles/mode-switches.ts'
import { layoutRules } from '../src/profiles/usb-layouts.ts'
import { fitsUsbId } from '../src/profiles/usb-port.ts'

/**
 * Compares the table of USB modems with the configurations of usb_modeswitch for Huawei, ZTE and Option: which device
 * is switched, and what it becomes. Only the installed package usb-modeswitch-data is read, and only facts are
 * compared.
 *
 * node libs/modem/oracle/compare-mode-switches.ts [--configurations archive] [--optional]
 *
 * Exits with code 1 if it finds a difference for which this file gives no reason, or if the package is not installed
 * and `--optional` is not given.
 */
const { values } = parseArgs({
  options: {
    configurations: { type: 'string', default: '/usr/share/usb_modeswitch/configPack.tar.gz' },
    optional: { type: 'boolean', default: false },
  },
})

interface Configuration {
  /** The USB id before the switch. */
  readonly id: string
  /** The USB ids after the switch; empty if the id stays or is not known. */
  readonly targets: readonly string[]
  /**
   * True if the module never appears as a USB disk, so it needs no mode switch; at most, its USB configuration is
   * selected.
   */
  readonly isNeverDisk: boolean
}

if (!existsSync(values.configurations)) {
  print(
    'usb-modeswitch-data is not installed, so nothing was compared. Install it: sudo apt-get install usb-modeswitch',
  )
  process.exit(values.optional ? 0 : 1)
}

const rules = [...layoutRules, ...catalogue.flatMap(({ usb }) => usb)]
const vendors = [
  ...rules.flatMap(({ ids }) => ids),
  ...catalogue.flatMap((each) => each.fingerprints.flatMap(({ usb }) => usb ?? [])),
]
const decided = new Map<string, string[]>()
const counts = new Map<string, number>()
let differences = 0

const all = readConfigurations(values.configurations)
const own = all.filter(({ id }) => /^(12d1|19d2|0af0):/.test(id))
for (const configuration of own) compare(configuration)
for (const { id } of modeSwitches) {
  if (all.some((each) => each.id === id))
    different(id, 'usb_modeswitch lists this stick: remove it from mode-switches.ts')
}

print(`usb_modeswitch: ${own.length} configurations of Huawei, ZTE and Option`)
for (const [what, count] of counts) print(`${String(count).padStart(6)}  ${what}`)
for (const [reason, ids] of decided) print(`decided  ${reason}: ${ids.join(' ')}`)
print(`${differences} differences`)
process.exit(differences === 0 ? 0 : 1)

function compare({ id, targets, isNeverDisk }: Configuration): void {
  for (const each of [id, ...targets]) {
    const vendor = each.slice(0, 4)
    if (!vendors.some((pattern) => fitsUsbId(pattern, `${vendor}:ffff`)))
      different(id, `the vendor ${vendor} is unknown, so the stick would be regarded as a disk`)
  }
  if (isNeverDisk) {
    decide(
      'is a module that is never a disk; if its configuration has no serial ports, doctor reports a data-only USB mode',
      id,
    )
    return
  }
  if (rules.some(({ ids, role }) => ids.includes(id) && role !== 'not-a-modem'))
    decide(
      'keeps its id when it is switched; the agent treats the stick as a disk as long as the stick has no other interface',
      id,
    )
  if (targets.length === 0)
    count('sticks for which usb_modeswitch lists no id after the switch: their ports are tested with AT')
  for (const target of targets) {
    const exact = rules.filter(({ ids }) => ids.includes(target))
    if (exact.some(({ role }) => role === 'not-a-modem'))
      decide('becomes a HiLink stick, which is used through its web interface', id)
    else if (exact.length > 0) count('new id is in the table, with its ports')
    else if (rules.some(({ ids }) => ids.includes(target.slice(0, 4))))
      count('new id is not in the table: the rules of the vendor find the ports')
    else count('new id is unknown: the ports are tested with AT')
  }
}

function readConfigurations(archive: string): readonly Configuration[] {
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-mode-switches-'))
  try {
    const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', folder], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`tar cannot read ${archive}: ${stderr}`)
    return readdirSync(folder)
      .filter((name) => /^[0-9a-f]{4}:[0-9a-f]{4}/.test(name))
      .map((name) => configurationIn(name, readFileSync(join(folder, name), 'utf8')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function configurationIn(name: string, text: string): Configuration {
  const id = name.slice(0, '12d1:1f01'.length)
  const vendor = /^TargetVendor=\s*0x(\w{4})/im.exec(text)?.[1] ?? id.slice(0, 4)
  const product = /^TargetProduct=\s*0x(\w{4})/im.exec(text)?.[1]
  const list = /^TargetProductList="([^"]*)"/im.exec(text)?.[1]?.split(',') ?? []
  const products = [...(product === undefined ? [] : [product]), ...list]
  return {
    id,
    targets: [...new Set(products.map((each) => `${vendor}:${each}`.toLowerCase()))],
    isNeverDisk: /^Configuration=/im.test(text),
  }
}

function decide(reason: string, id: string): void {
  const ids = decided.get(reason) ?? []
  decided.set(reason, ids.includes(id) ? ids : [...ids, id])
}

function count(what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

function different(subject: string, difference: string): void {
  differences += 1
  print(`DIFFERENT  ${subject}: ${difference}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
