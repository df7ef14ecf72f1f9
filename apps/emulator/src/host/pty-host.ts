import { closeSync } from 'node:fs'
import type { HostPort, ReceiveBytes } from './host-port.ts'
import type { Posix, Pty } from './posix.ts'
import { PtyCable } from './pty-cable.ts'
import type { StableLink } from './stable-link.ts'

/**
 * A modem on a pseudo-terminal. States: plugged (the pseudo-terminal exists and the link points to it), unplugged
 * (neither the pseudo-terminal nor the link exists; a program that has the port open reads an error, as with an
 * unplugged USB stick), closed.
 */
export class PtyHost implements HostPort {
  readonly #options: PtyHostOptions
  #plugged: Plugged | undefined
  #lastPath = ''

  constructor(options: PtyHostOptions) {
    this.#options = options
    this.bringBack({ renumbered: false })
  }

  get address(): string {
    return this.#options.link.path
  }

  describe(): string {
    return this.#plugged?.path ?? 'unplugged'
  }

  send(bytes: Uint8Array): void {
    this.#plugged?.cable.send(bytes)
  }

  takeAway(): void {
    if (this.#plugged === undefined) return
    this.#options.link.remove()
    this.#plugged.cable.close()
    this.#plugged = undefined
  }

  bringBack({ renumbered }: { readonly renumbered: boolean }): void {
    if (this.#plugged !== undefined) return
    const pty = renumbered ? this.#openElsewhere() : this.#options.posix.openPty()
    this.#plugged = { path: pty.path, cable: new PtyCable(pty, this.#options.receive, this.#options.onError) }
    this.#lastPath = pty.path
    this.#options.link.pointTo(pty.path)
  }

  async close(): Promise<void> {
    this.takeAway()
    this.#options.link.release()
  }

  /**
   * Opens a pseudo-terminal with another number. The kernel assigns the lowest free number, so the old pseudo-terminal
   * stays open until the new one is open.
   */
  #openElsewhere(): Pty {
    const pty = this.#options.posix.openPty()
    if (pty.path !== this.#lastPath) return pty
    const other = this.#options.posix.openPty()
    closeSync(pty.slaveFd)
    closeSync(pty.masterFd)
    return other
  }
}

export interface PtyHostOptions {
  readonly link: StableLink
  readonly posix: Posix
  readonly receive: ReceiveBytes
  readonly onError: (error: Error) => void
}

interface Plugged {
  readonly path: string
  readonly cable: PtyCable
}
