import type { MessageState } from '@smsgw/contract/messages/message-states'
import { t } from '../words/text.ts'
import './message-mark.css'

const marks: Readonly<Record<MessageState, { readonly tone: string; readonly drawing: string }>> = {
  Pending: { tone: 'quiet', drawing: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2 1.3' },
  Processed: { tone: 'quiet', drawing: 'M3 8h7M7.5 5 10.5 8l-3 3M13 4v8' },
  Sent: { tone: 'plain', drawing: 'M3.5 8.5 6.5 11.5 12.5 4.5' },
  Delivered: { tone: 'good', drawing: 'M1.5 8.5 4.5 11.5 10.5 4.5M7.5 11 8 11.5 14.5 4.5' },
  Failed: { tone: 'bad', drawing: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.6M8 10.8v.1' },
  Cancelling: { tone: 'quiet', drawing: 'M4 4l8 8M12 4l-8 8' },
  Cancelled: { tone: 'quiet', drawing: 'M4 4l8 8M12 4l-8 8' },
}

/** The state of a message as an icon, with its name for screen readers or as visible text. */
export function MessageMark({
  state,
  withWord = false,
}: {
  readonly state: MessageState
  readonly withWord?: boolean
}) {
  const { tone, drawing } = marks[state]
  const words = t(`messageState.${state}`)
  return (
    <span className={`message-mark is-${tone}`} title={withWord ? undefined : words}>
      {/* The arrow points in the direction of reading. Check marks are the same in all languages. */}
      <svg
        width="16"
        height="16"
        viewBox="0 0 16 16"
        fill="none"
        className={state === 'Processed' ? 'is-directional' : undefined}
        aria-hidden="true"
        focusable="false"
      >
        <path d={drawing} stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" strokeLinejoin="round" />
      </svg>
      <span className={withWord ? undefined : 'unseen'}>{words}</span>
    </span>
  )
}
