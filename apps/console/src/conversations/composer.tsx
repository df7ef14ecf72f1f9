import { ActionIcon, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { NewMessage } from '../api/conversations.ts'
import { useSignedIn } from '../session-context.ts'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { fullWords } from '../ui/relative-words.ts'
import { meterOf, mostParts } from './encoding-meter.ts'
import { MeterLine } from './meter-line.tsx'
import { type SendOptions, SendOptionsForm, usualOptions } from './send-options.tsx'
import './composer.css'

/** What was begun and not sent, for each account and conversation, as long as the page is open. */
const drafts = new Map<string, string>()

export function Composer({
  draftKey: conversation,
  isBusy,
  error,
  onSend,
}: {
  readonly draftKey: string
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onSend: (message: Omit<NewMessage, 'phoneNumbers'>) => Promise<unknown>
}) {
  const draftKey = `${useSignedIn().username} ${conversation}`
  const [text, setText] = useState(drafts.get(draftKey) ?? '')
  const [options, setOptions] = useState<SendOptions>(usualOptions)
  const [areOptionsOpen, { toggle }] = useDisclosure(false)
  const meter = useMemo(() => meterOf(text), [text])
  const field = useRef<HTMLTextAreaElement>(null)
  const canSend = text !== '' && meter.parts <= mostParts && !isBusy
  const write = (now: string) => {
    setText(now)
    drafts.set(draftKey, now)
  }
  const send = async () => {
    if (!canSend) return
    // Now, not when it is sent: who leaves the field meanwhile is not brought back.
    field.current?.focus()
    const { sim, scheduleAt, withDeliveryReport } = options
    const at = scheduleAt === '' ? undefined : new Date(scheduleAt).toISOString()
    try {
      await onSend({
        textMessage: { text },
        withDeliveryReport,
        ...sim,
        ...(at !== undefined && { scheduleAt: at }),
      })
    } catch {
      // It stands in `error`; what was written stays.
      return
    }
    write(writtenSince(text, drafts.get(draftKey) ?? ''))
    setOptions({ ...options, scheduleAt: '' })
  }
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <ProblemNote error={error} />
      {areOptionsOpen && <SendOptionsForm options={options} onChange={setOptions} />}
      <div className="composer-field">
        <textarea
          id="composer"
          ref={field}
          aria-label="Message"
          aria-describedby="composer-meter"
          placeholder="Write a message"
          rows={2}
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => onKey(event, () => void send())}
        />
        <div className="composer-side">
          <ActionIcon
            variant={areOptionsOpen ? 'light' : 'subtle'}
            color={areOptionsOpen ? 'pine' : 'gray'}
            size="lg"
            aria-label="SIM, time and report"
            title="SIM, time and report"
            aria-expanded={areOptionsOpen}
            onClick={toggle}
          >
            <Icon name="settings" />
          </ActionIcon>
          <Button
            type="submit"
            disabled={!canSend}
            loading={isBusy}
            leftSection={<Icon name={options.scheduleAt === '' ? 'send' : 'clock'} size={16} />}
          >
            {options.scheduleAt === '' ? 'Send' : 'Schedule'}
          </Button>
        </div>
      </div>
      <MeterLine meter={meter} isEmpty={text === ''} onReplace={write} />
      {options.scheduleAt !== '' && !areOptionsOpen && (
        <p className="small quiet">To be sent {fullWords(options.scheduleAt)}</p>
      )}
    </form>
  )
}

/** What stands in the field when `sent` is gone: whoever writes on while it leaves loses nothing. */
function writtenSince(sent: string, now: string): string {
  return now.startsWith(sent) ? now.slice(sent.length).trimStart() : now
}

function onKey(event: KeyboardEvent<HTMLTextAreaElement>, send: () => void): void {
  if (event.key === 'Escape') event.currentTarget.blur()
  // While a word is being put together from keys, Enter ends the word.
  if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
  event.preventDefault()
  send()
}
