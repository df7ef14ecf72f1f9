/** One end of the cable that a program can open: a pseudo-terminal or a TCP port. */
export interface HostPort {
  /** Where a program finds it: `/home/me/data/emulator/modem0`, `tcp://127.0.0.1:7001`. */
  readonly address: string
  /** What is behind the address at the moment, for people: `/dev/pts/3`, `127.0.0.1:50123`, `nobody connected`. */
  describe(): string
  send(bytes: Uint8Array): void
  /** The cable is pulled: whoever has the port open notices. */
  takeAway(): void
  /** It is plugged in again, under another device name when `renumbered`. */
  bringBack(options: { readonly renumbered: boolean }): void
  close(): Promise<void>
}

export type ReceiveBytes = (bytes: Uint8Array) => void
