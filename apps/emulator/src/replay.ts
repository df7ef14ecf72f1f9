import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import {
  MAX_RECORDING_BYTES,
  type Recording,
  RecordingError,
  readRecording,
} from '@smsgw/virtual-modem/replay/recording'
import { ReplayModem } from '@smsgw/virtual-modem/replay/replay-modem'
import type { HostPort } from './host/host-port.ts'
import { loadPosix } from './host/posix.ts'
import { PtyHost } from './host/pty-host.ts'
import { StableLink } from './host/stable-link.ts'
import { TcpHost } from './host/tcp-host.ts'
import type { Options } from './options/config.ts'
import { PTY_FOLDER } from './options/modem-setup.ts'
import { harmless, harmlessJson } from './output/terminal-text.ts'

/** Serves one modem that answers as in a recording, on a pseudo-terminal or TCP. */
export class ReplayedModems {
  readonly #file: string
  readonly #recording: Recording
  readonly #ports: HostPort[] = []

  private constructor(file: string, recording: Recording) {
    this.#file = file
    this.#recording = recording
  }

  static async start(file: string, { pty, tcp }: Options, onFatal: (error: Error) => void): Promise<ReplayedModems> {
    const replay = new ReplayedModems(file, readFile(file))
    const ports = replay.#ports
    const modem = new ReplayModem(replay.#recording, (bytes) => {
      for (const port of ports) port.send(bytes)
    })
    const receive = (bytes: Uint8Array) => modem.receive(bytes)
    try {
      if (tcp !== undefined) ports.push(await TcpHost.listen(tcp, receive, 'tcp'))
      const link = pty ?? (tcp === undefined ? `${PTY_FOLDER}/modem0` : 'none')
      if (link !== 'none') {
        const posix = await loadPosix()
        ports.push(new PtyHost({ link: StableLink.claim(resolve(link), posix), posix, receive, onError: onFatal }))
      }
      modem.open()
      return replay
    } catch (error) {
      await replay.close()
      throw error
    }
  }

  addressLine(): string {
    const { kind, profile = 'unknown' } = this.#recording
    const where = this.#ports.map((port) => `${port.address} (${port.describe()})`).join(' and ')
    return harmless(`${kind} recording ${this.#file}, profile ${profile}, at ${where}; press Ctrl-C to stop`)
  }

  addressJson(): string {
    return harmlessJson({ modems: [{ name: 'modem0', ports: this.#ports.map(({ address }) => address) }] })
  }

  async close(): Promise<void> {
    for (const port of this.#ports) await port.close()
  }
}

/** Reads the file. Checks the size before, because devices such as /dev/zero have no end. */
function readFile(file: string): Recording {
  try {
    const known = statSync(file)
    if (!known.isFile()) throw new RecordingError('is not a file')
    if (known.size > MAX_RECORDING_BYTES) {
      throw new RecordingError(`is larger than ${MAX_RECORDING_BYTES} bytes, the limit for a recording`)
    }
    return readRecording(readFileSync(file, 'latin1'))
  } catch (error) {
    throw new StartError(`replay: ${file}: ${(error as Error).message}`)
  }
}
