import { createPublicKey, verify } from 'node:crypto'
import type { Command, SendCommand } from '@smsgw/contract/link/command'
import type { AgentFrame, RelayFrame } from '@smsgw/contract/link/frame'
import { signedText } from '@smsgw/link/connection/signed-text'
import { expect } from 'vitest'
import type { LinkSocket } from '../link/link-socket.ts'

/**
 * A relay controlled by a test. Accepts any kind of socket, checks every signature, and answers like a healthy relay
 * unless `refusal` is set.
 */
export class ScriptedRelay {
  readonly frames: AgentFrame[] = []
  readonly events: Readonly<Record<string, unknown>>[] = []
  deviceId = 'device-1'
  /** The close code and reason sent instead of an answer to `pair` or `hello`. */
  refusal: { readonly at: 'pair' | 'hello'; readonly code: number; readonly reason: string } | undefined
  /** From this frame on, the relay sends nothing. */
  silence: 'challenge' | 'welcome' | undefined
  versions = { min: 1, max: 1 }
  /** False simulates an older relay. */
  sendsPending = true
  settings: Readonly<Record<string, unknown>> = {}
  serverTime = () => new Date().toISOString()
  /** If set, the boot id of another process that connected between two connections of the agent. */
  intruder: string | undefined
  connections = 0
  #epoch = 0
  #bootId: string | undefined
  #publicKey = ''
  #socket: LinkSocket | undefined
  #stored = 0

  /** Accepts a socket, like `accept` of the relay. */
  readonly accept = (socket: LinkSocket) => {
    this.connections += 1
    this.#socket = socket
    const nonce = `nonce-${this.connections}-0123456789`
    const { versions, sendsPending } = this
    if (this.silence !== 'challenge')
      this.#say({ type: 'challenge', nonce, relayId, versions, ...(sendsPending && { sendsPending }) })
    return {
      step: (input: { readonly kind: 'received'; readonly text: string } | { readonly kind: 'closed' }) => {
        if (input.kind === 'received') this.#hear(JSON.parse(input.text) as AgentFrame, nonce)
        else if (this.#socket === socket) this.#socket = undefined
      },
    }
  }

  get isConnected(): boolean {
    return this.#socket !== undefined
  }

  send(cmdId: string, phoneNumber: string, text: string, more: Partial<SendCommand> = {}): void {
    const command: SendCommand = {
      kind: 'send',
      cmdId,
      messageId: `message-${cmdId}`,
      phoneNumber,
      content: { text },
      isEncrypted: false,
      withDeliveryReport: false,
      priority: 0,
      acceptedAt: new Date().toISOString(),
      onUncertain: 'resolve',
      ...more,
    }
    this.give(command)
  }

  give(command: Command): void {
    this.#say({ type: 'command', command })
  }

  /** Sends the time, as a relay does when its clock has changed. */
  sendTime(serverTime: string): void {
    this.#say({ type: 'settings', settings: this.settings, serverTime })
  }

  /** Sends `goaway`, like a relay that is about to stop. */
  goAway(reconnectAfterMs: number): void {
    this.#say({ type: 'goaway', reconnectAfterMs })
  }

  close(code: number, reason: string): void {
    this.#socket?.close(code, reason)
  }

  async heard(kind: string, what: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await expect.poll(() => this.events, { interval: 10 }).toContainEqual(expect.objectContaining({ kind, ...what }))
  }

  #hear(frame: AgentFrame, nonce: string): void {
    this.frames.push(frame)
    switch (frame.type) {
      case 'pair':
      case 'hello':
        this.#introduced(frame, nonce)
        break
      case 'events':
        this.events.push(...(frame.events as Readonly<Record<string, unknown>>[]).slice(this.#stored + 1 - frame.from))
        this.#stored = Math.max(this.#stored, frame.from + frame.events.length - 1)
        this.#say({ type: 'stored', upto: this.#stored })
        break
      case 'ping':
        this.#say({ type: 'pong', number: frame.number })
    }
  }

  #introduced(frame: AgentFrame & { readonly type: 'pair' | 'hello' }, nonce: string): void {
    const { type, signature } = frame
    if (frame.type === 'pair') this.#publicKey = frame.publicKey
    const claim = signedText(
      frame.type === 'pair'
        ? { ...frame, purpose: 'pair', relayId, nonce }
        : { ...frame, purpose: 'hello', relayId, nonce, journalId: frame.journal.id },
    )
    expect(isSigned(this.#publicKey, claim, signature)).toBe(true)
    if (this.refusal?.at === type) this.#socket?.close(this.refusal.code, this.refusal.reason)
    else if (frame.type === 'pair') this.#say({ type: 'paired', deviceId: this.deviceId })
    else if (this.silence !== 'welcome') this.#welcome(frame.bootId)
  }

  #welcome(bootId: string): void {
    this.#epoch += this.intruder === undefined ? 1 : 2
    const previous = this.intruder ?? this.#bootId
    this.#bootId = bootId
    this.#say({
      type: 'welcome',
      version: 1,
      connEpoch: this.#epoch,
      streamId: 'stream-1',
      mark: this.#stored,
      ...(previous !== undefined && { previousBootId: previous }),
      isRetired: false,
      window: 256,
      heartbeatSeconds: 20,
      serverTime: this.serverTime(),
      settings: this.settings,
    })
  }

  #say(frame: RelayFrame): void {
    this.#socket?.send(JSON.stringify(frame))
  }
}

const relayId = 'scripted'

function isSigned(publicKey: string, text: string, signature: string): boolean {
  const head = Buffer.from('302a300506032b6570032100', 'hex')
  const key = createPublicKey({
    key: Buffer.concat([head, Buffer.from(publicKey, 'base64')]),
    format: 'der',
    type: 'spki',
  })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}
