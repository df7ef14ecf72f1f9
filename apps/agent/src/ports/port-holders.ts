import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface Holders {
  /** Behind all links: `/dev/ttyUSB2`. */
  readonly device: string
  /** Those that can be seen: of the same user, or all of them for the superuser. */
  readonly programs: readonly { readonly name: string; readonly pid: number }[]
  readonly runsModemManager: boolean
}

/** Which programs have a device open. This process is not among them. */
export async function readHolders(path: string, proc = '/proc'): Promise<Holders> {
  const device = await realpath(path).catch(() => path)
  const pids = (await readdir(proc).catch(() => [])).filter((name) => /^\d+$/.test(name))
  const programs = await Promise.all(
    pids.map(async (pid) => {
      const name = await nameOf(join(proc, pid))
      return { name, pid: Number(pid), holds: await hasOpen(join(proc, pid, 'fd'), device) }
    }),
  )
  return {
    device,
    programs: programs.filter(({ holds, pid }) => holds && pid !== process.pid).map(({ name, pid }) => ({ name, pid })),
    runsModemManager: programs.some(({ name }) => name === 'ModemManager'),
  }
}

/** As it was called; some programs call their first thread something else. */
async function nameOf(process: string): Promise<string> {
  const [called = ''] = (await readFile(join(process, 'cmdline'), 'utf8').catch(() => '')).split('\0')
  return basename(called)
}

async function hasOpen(folder: string, device: string): Promise<boolean> {
  // What belongs to another user is not shown.
  const files = await readdir(folder).catch(() => [])
  const targets = await Promise.all(files.map((file) => readlink(join(folder, file)).catch(() => '')))
  return targets.includes(device)
}

/** In one line that says what to do. */
export function wordsOfHolders({ device, programs, runsModemManager }: Holders): string {
  const others = programs.filter(({ name }) => name !== 'ModemManager')
  if (programs.length > others.length || (programs.length === 0 && runsModemManager)) {
    const surely = programs.length > 0 ? 'ModemManager holds this port' : 'another program holds this port'
    const which = programs.length > 0 ? '' : ', most likely ModemManager, which is running'
    return `${surely}${which}: ${letItGo}`
  }
  if (others.length === 0) {
    return `another program holds this port, one of another user: "sudo fuser -v ${device}" tells which; end it`
  }
  const named = others.slice(0, mostNamed).map(({ name, pid }) => `${name} (process ${pid})`)
  const more = others.length > named.length ? [`${others.length - named.length} more`] : []
  const names = [...named, ...more].join(' and ')
  return `another program holds this port: ${names}; end it, or give it another modem`
}

const mostNamed = 3

const letItGo =
  'let it ignore this modem (udev: ENV{ID_MM_DEVICE_IGNORE}="1"), or switch it off with ' +
  '"sudo systemctl disable --now ModemManager"'
