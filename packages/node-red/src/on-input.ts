import type { FlowMessage, FlowNode } from './node-red.ts'
import { errorText } from './problem-text.ts'

/**
 * Runs `work` for each message that a node receives, sends the result, and shows `failure` at the node if it fails. The
 * signal aborts when the node is removed.
 */
export function onInput(
  node: FlowNode,
  failure: string,
  work: (message: FlowMessage, signal: AbortSignal) => Promise<FlowMessage>,
): void {
  const closing = new AbortController()
  const { signal } = closing
  node.on('input', (message, emit, done) => {
    work(message, signal).then(
      (result) => {
        emit(result)
        done()
      },
      (error: unknown) => {
        if (!signal.aborted) node.status({ fill: 'red', shape: 'ring', text: failure })
        done(signal.aborted ? undefined : new Error(errorText(error), { cause: error }))
      },
    )
  })
  node.on('close', (_, done) => {
    closing.abort()
    done()
  })
}
