import { ActionIcon } from '@mantine/core'
import type { VirtualPhoneAnswer } from '@smsgw/contract/devices/virtual-phone'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { ask, get } from '../api/request/ask.ts'
import { conversationPath } from '../conversations/conversation-path.ts'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { usePathPart } from '../ui/values/path-part.ts'
import { shortClockWords } from '../ui/values/relative-words.ts'
import { directionOf, rich, t } from '../words/text.ts'
import './virtual-phone.css'

/** The phone number that all examples use. It is shown until there is a message. */
const firstPhone = '+447400123456'

/** The phone at the other end of the virtual modem. It receives messages of the gateway and can reply. */
export function VirtualPhonePanel({ onClose }: { readonly onClose: () => void }) {
  const phone = useVirtualPhone()
  const talkedTo = useConversationNumber()
  const [{ chosen, besides }, setChosen] = useState<{ chosen?: string; besides?: string | undefined }>({})
  const phones = (phone.data?.messages ?? []).map(({ from, to, direction }) => (direction === 'to-phone' ? to : from))
  // Uses the chosen number until the page shows another conversation.
  const number = (besides === talkedTo ? chosen : undefined) ?? talkedTo ?? phones[0] ?? firstPhone
  return (
    <aside className="virtual-phone" aria-label={t('phone.title')}>
      <header>
        <h2>{t('phone.title')}</h2>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('phone.close')}
          title={t('common.withKey', { name: t('common.close'), key: 'v' })}
          onClick={onClose}
        >
          <Icon name="cross" />
        </ActionIcon>
      </header>
      <p className="small quiet">{t('phone.about')}</p>
      <div className="virtual-phone-body">
        <label className="virtual-phone-number">
          <span className="unseen">{t('phone.number')}</span>
          <select
            dir="ltr"
            value={number}
            onChange={(event) => setChosen({ chosen: event.currentTarget.value, besides: talkedTo })}
          >
            {[...new Set([number, ...phones, firstPhone])].map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Screen number={number} phone={phone.data} />
        <ProblemNote error={phone.error} />
        <Reply key={number} from={number} gatewayNumber={phone.data?.gatewayNumber} />
      </div>
      <TestNumbers numbers={phone.data?.testNumbers ?? []} />
    </aside>
  )
}

/** Numbers that make the virtual modem fail, delay or answer. */
function TestNumbers({ numbers }: { readonly numbers: VirtualPhoneAnswer['testNumbers'] }) {
  if (numbers.length === 0) return null
  return (
    <details className="test-numbers">
      <summary>{t('phone.testNumbers')}</summary>
      <p className="small quiet">{t('phone.testNumbersHelp')}</p>
      <ul>
        {numbers.map(({ number, effect }) => (
          <li key={number}>
            <Link href={conversationPath(number)}>
              <bdi>{number}</bdi>
            </Link>
            <span className="small quiet">{effect}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/**
 * Returns the phone number of the shown conversation. Returns undefined if no conversation is shown, or if it has a
 * sender name instead of a phone number.
 */
function useConversationNumber(): string | undefined {
  const number = usePathPart('/conversations')
  return number !== undefined && /^\+\d+$/.test(number) ? number : undefined
}

function Screen({ number, phone }: { readonly number: string; readonly phone: VirtualPhoneAnswer | undefined }) {
  const screen = useRef<HTMLDivElement>(null)
  const messages = (phone?.messages ?? [])
    .filter(({ from, to, direction }) => (direction === 'to-phone' ? to : from) === number)
    .toReversed()
  const last = messages.at(-1)?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls down at each new message
  useEffect(() => {
    screen.current?.scrollTo({ top: screen.current.scrollHeight })
  }, [last, number])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <div className="virtual-phone-screen" ref={screen} role="log" aria-label={t('phone.screen')} tabIndex={0}>
      {messages.length === 0 && (
        <p className="virtual-phone-empty">{rich('phone.empty', { number: <bdi>{number}</bdi> })}</p>
      )}
      {messages.map(({ id, at, text, direction }) => (
        <div key={id} className={`phone-message is-${direction}`}>
          <p dir="auto">{text}</p>
          <time dateTime={at}>{shortClockWords(at)}</time>
        </div>
      ))}
    </div>
  )
}

function Reply({ from, gatewayNumber }: { readonly from: string; readonly gatewayNumber: string | undefined }) {
  const write = useWriteFromPhone()
  const [text, setText] = useState('')
  return (
    <form
      className="virtual-phone-reply"
      onSubmit={async (event) => {
        event.preventDefault()
        if (text === '') return
        await write.mutateAsync({ from, text }).then(
          () => setText(''),
          // Does nothing, because the error is shown below the field.
          () => undefined,
        )
      }}
    >
      <input
        // Sets no direction for an empty field, because its placeholder is in the language of the page.
        dir={directionOf(text)}
        aria-label={t('phone.reply')}
        placeholder={gatewayNumber === undefined ? t('phone.reply') : t('phone.replyTo', { number: gatewayNumber })}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <ActionIcon
        type="submit"
        radius="xl"
        size="lg"
        aria-label={t('phone.send')}
        loading={write.isPending}
        disabled={text === ''}
      >
        <Icon name="send" size={16} />
      </ActionIcon>
      <ProblemNote error={write.error} />
    </form>
  )
}

function useVirtualPhone() {
  return useQuery({
    queryKey: ['virtual-phone'],
    queryFn: ({ signal }) => get<VirtualPhoneAnswer>('/virtual-phone', signal),
    // Polls, because the gateway has no event for messages that arrive on the phone.
    refetchInterval: 2_000,
  })
}

function useWriteFromPhone() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (message: { readonly from: string; readonly text: string }) => ask('POST', '/virtual-phone', message),
    onSuccess: () => client.invalidateQueries({ queryKey: ['virtual-phone'] }),
  })
}
