import { readdir, readFile, readlink, realpath } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ignoreModemsCommand } from '../modems/discovery/udev-rules.ts'

export interface Holders {
  /** The path of the device after following all links, such as `/dev/ttyUSB2`. */
  readonly device: string
  /** The programs of the same user that have the device open; for root, the programs of all users. */
  readonly programs: readonly { readonly name: string; readonly pid: number }[]
  readonly runsModemManager: boolean
}

/** Finds the programs that have a device open, except this process. */
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

/** Returns the name from the command line, because some programs give their main thread a different name. */
async function nameOf(process: string): Promise<string> {
  const [called = ''] = (await readFile(join(process, 'cmdline'), 'utf8').catch(() => '')).split('\0')
  return basename(called)
}

async function hasOpen(folder: string, device: string): Promise<boolean> {
  // Skips a process of another user, whose files are not readable.
  const files = await readdir(folder).catch(() => [])
  const targets = await Promise.all(files.map((file) => readlink(join(folder, file)).catch(() => '')))
  return targets.includes(device)
}

/** Describes in one line which program uses the port and what to do. */
export function describeHolders({ device, programs, runsModemManager }: Holders): string {
  const others = programs.filter(({ name }) => name !== 'ModemManager')
  if (programs.length > others.length || (programs.length === 0 && runsModemManager)) {
    const holder =
      programs.length > 0
        ? 'ModemManager uses this port'
        : 'another program uses this port, most likely ModemManager, which is running'
    return `${holder}: make it ignore this modem (${ignoreModemsCommand()}, then plug the modem in again), or disable it with "sudo systemctl disable --now ModemManager"`
  }
  if (others.length === 0) {
    return `another user's program uses this port: find it with "sudo fuser -v ${device}" and stop it`
  }
  const named = others.slice(0, maxNames).map(({ name, pid }) => `${name} (process ${pid})`)
  const more = others.length > named.length ? [`${others.length - named.length} more`] : []
  const names = [...named, ...more].join(' and ')
  return `another program uses this port: ${names}. Stop it, or use another modem`
}

const maxNames = 3
