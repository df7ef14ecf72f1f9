import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@smsgw/daemon/testing/free-port'

/** True if Debian's `mosquitto` is installed. Version 1 does not count, because it does not support MQTT 5. */
export const hasMosquitto = spawnSync('mosquitto', ['-h']).stdout?.toString().includes('version 2') ?? false

/** A real broker that keeps its sessions on disk. */
export class Mosquitto {
  readonly url: string
  readonly #folder: string
  #process: ChildProcess

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.url = `mqtt://127.0.0.1:${port}`
    this.#process = this.#spawn()
  }

  static async start(): Promise<Mosquitto> {
    const folder = mkdtempSync(join(tmpdir(), 'smsgw-mosquitto-'))
    const port = await freePort()
    const settings = [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      'persistence true',
      `persistence_location ${folder}/`,
      'max_queued_messages 100000',
      // Root starts the broker, which would otherwise change to another user, who may not write into the folder.
      'user root',
    ]
    writeFileSync(join(folder, 'mosquitto.conf'), `${settings.join('\n')}\n`)
    const broker = new Mosquitto(folder, port)
    await broker.#untilListening()
    return broker
  }

  /** Starts the broker again after `pause`, with the sessions that it wrote to disk. */
  async resume(): Promise<void> {
    this.#process = this.#spawn()
    await this.#untilListening()
  }

  async pause(): Promise<void> {
    const ended = once(this.#process, 'close')
    this.#process.kill('SIGTERM')
    await ended
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) await this.pause()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #spawn(): ChildProcess {
    return spawn('mosquitto', ['-c', join(this.#folder, 'mosquitto.conf')], { stdio: 'ignore' })
  }

  async #untilListening(): Promise<void> {
    const { hostname, port } = new URL(this.url)
    for (;;) {
      if (this.#process.exitCode !== null) throw new Error(`mosquitto ended with ${this.#process.exitCode}`)
      const socket = connect(Number(port), hostname)
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      )
      socket.destroy()
      if (isOpen) return
      await sleep(20)
    }
  }
}
