import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InboxItem, MessageState } from '@smsgw/client/openapi'
import { accountOf } from './account.ts'
import { EventFollower } from './event-follower.ts'
import { FollowedPosition } from './followed-position.ts'
import type { FlowNode, NodeRed } from './node-red.ts'
import { errorText } from './problem-text.ts'

interface ReceiveConfig {
  readonly account: string
  readonly events: 'received' | 'states'
  /** Numbers, separated by commas; empty for all. */
  readonly from: string
}

/** The pause after an error that a repetition does not solve, such as wrong credentials. */
const RETRY_MS = 30_000

/** The node that starts a flow for each received message, or for each new state of a sent message. */
export function registerReceive(red: NodeRed): void {
  function ReceiveNode(this: FlowNode, config: ReceiveConfig): void {
    red.nodes.createNode(this, config)
    const closing = new AbortController()
    const { signal } = closing
    const numbers = config.from.split(/[,;\n]/).flatMap((number) => number.trim() || [])

    const { userDir } = red.settings
    const position = new FollowedPosition(userDir === undefined ? undefined : join(userDir, 'smsgw', `${this.id}.log`))

    const follow = async (): Promise<void> => {
      const client = accountOf(red, config.account).client()
      this.status({ fill: 'yellow', shape: 'ring', text: 'connecting' })
      const follower = new EventFollower({
        client,
        position,
        kind: config.events,
        signal,
        now: Date.now,
        onReceived: (item) => {
          if (numbers.length === 0 || numbers.includes(item.sender)) this.send(receivedMessage(item))
        },
        onState: (message) => this.send(stateMessage(message)),
        onConnected: () => this.status({ fill: 'green', shape: 'dot', text: 'connected' }),
        onInterrupted: (error) => this.status({ fill: 'red', shape: 'ring', text: error.message }),
      })
      await follower.run()
    }

    const run = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          await follow()
        } catch (error) {
          if (signal.aborted) return
          const problem = errorText(error)
          this.status({ fill: 'red', shape: 'ring', text: problem })
          this.error(`cannot receive the events of the account: ${problem} (next attempt in ${RETRY_MS / 1000} s)`)
        }
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
    }

    const running = run()
    this.on('close', (_, done) => {
      closing.abort()
      running.then(done)
    })
  }
  red.nodes.registerType('smsgw-receive', ReceiveNode)
}

function receivedMessage(item: InboxItem) {
  return {
    topic: item.sender,
    payload: item.text ?? item.contentPreview,
    from: item.sender,
    ...(item.recipient !== undefined && { recipient: item.recipient }),
    // With this number, a send node that follows in the flow sends its message to the sender, as a reply.
    to: item.sender,
    sms: { deviceId: item.deviceId, ...(item.simNumber !== undefined && { simNumber: item.simNumber }) },
    received: item,
  }
}

function stateMessage(message: MessageState) {
  return { topic: message.state, payload: message, messageId: message.id }
}
