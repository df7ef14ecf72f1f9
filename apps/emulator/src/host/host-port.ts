/** A port that a program can open: a pseudo-terminal or a TCP port. */
export interface HostPort {
  /** An address for programs, such as `/home/me/data/emulator/modem0` or `tcp://127.0.0.1:7001`. */
  readonly address: string
  /**
   * Returns a text for people about the current device or peer, such as `/dev/pts/3`, `127.0.0.1:50123` or `not
   * connected`.
   */
  describe(): string
  send(bytes: Uint8Array): void
  /** Removes the port; a program that has the port open gets an error. */
  takeAway(): void
  /** Restores the port, under another device name if `renumbered`. */
  bringBack(options: { readonly renumbered: boolean }): void
  close(): Promise<void>
}

export type ReceiveBytes = (bytes: Uint8Array) => void
