import { accountOf } from './account.ts'
import { idempotencyKey, type MessageFields, newText, wholeNumberIn } from './new-message.ts'
import type { FlowNode, NodeRed } from './node-red.ts'
import { onInput } from './on-input.ts'

interface SendConfig extends MessageFields {
  readonly account: string
  /** The state that the message must reach before the node continues the flow with its result. */
  readonly wait: 'accepted' | 'sent' | 'ended'
  readonly timeoutSeconds: string
}

/** The node that sends a text message. */
export function registerSend(red: NodeRed): void {
  function SendNode(this: FlowNode, config: SendConfig): void {
    red.nodes.createNode(this, config)
    onInput(this, 'not sent', async (message, signal) => {
      const { messages } = accountOf(red, config.account).client()
      const content = newText(message, config)
      const timeoutMs = config.wait === 'accepted' ? 0 : wholeNumberIn('Time limit', config.timeoutSeconds) * 1000
      this.status({ fill: 'blue', shape: 'dot', text: 'sending' })
      let state = await messages.send(content, {
        idempotencyKey: idempotencyKey(this.id, message, content),
        signal,
        allowShortCodes: true,
      })
      if (config.wait !== 'accepted') {
        this.status({ fill: 'blue', shape: 'dot', text: 'waiting' })
        state = await messages.waitFor(state.id, { until: config.wait, timeoutMs, signal })
      }
      this.status(
        state.state === 'Failed'
          ? { fill: 'red', shape: 'dot', text: 'failed' }
          : { fill: 'green', shape: 'dot', text: state.state.toLowerCase() },
      )
      return { ...message, payload: state, messageId: state.id }
    })
  }
  red.nodes.registerType('smsgw-send', SendNode)
}
