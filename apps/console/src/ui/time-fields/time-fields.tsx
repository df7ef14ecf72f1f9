import { ActionIcon, TextInput, type TextInputProps } from '@mantine/core'
import { useRef, useState } from 'react'
import { t } from '../../words/text.ts'
import { Icon } from '../icon.tsx'
import {
  dayTimeWords,
  isDayTime,
  isLocalMinute,
  minutePattern,
  minuteWords,
  readDayTime,
  readMinute,
} from './local-time.ts'
import './time-fields.css'

interface TimeFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The time, or the typed text if it is not a time. Empty means no time. */
  readonly value: string
  readonly onChange: (value: string) => void
}

/** Date and time in the format of the locale, typed or chosen in the calendar of the browser. */
export function MinuteField({ value, onChange, ...rest }: TimeFieldProps) {
  const calendar = useRef<HTMLInputElement>(null)
  return (
    <WordedField
      {...rest}
      value={value}
      onChange={onChange}
      isTime={isLocalMinute}
      wordsOf={minuteWords}
      read={readMinute}
      problem={t('time.wrongMinute', { example: minuteWords('2027-12-31T18:30') })}
      placeholder={minutePattern()}
      rightSectionPointerEvents="all"
      rightSection={
        <span className="calendar">
          <input
            ref={calendar}
            type="datetime-local"
            aria-hidden="true"
            tabIndex={-1}
            value={isLocalMinute(value) ? value : ''}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('time.openCalendar')}
            onClick={() => calendar.current?.showPicker()}
          >
            <Icon name="calendar" size={16} />
          </ActionIcon>
        </span>
      }
    />
  )
}

/** Start and end of a period, which stay together on one line. */
export function PeriodFields({
  from,
  to,
  onFrom,
  onTo,
}: {
  readonly from: string
  readonly to: string
  readonly onFrom: (value: string) => void
  readonly onTo: (value: string) => void
}) {
  return (
    <div className="period-fields">
      <MinuteField label={t('common.from')} value={from} onChange={onFrom} />
      <MinuteField label={t('common.until')} value={to} onChange={onTo} />
    </div>
  )
}

/** A time of day in the format of the locale. */
export function DayTimeField(props: TimeFieldProps) {
  return (
    <WordedField
      {...props}
      isTime={isDayTime}
      wordsOf={dayTimeWords}
      read={readDayTime}
      problem={t('time.wrongDayTime', { example: dayTimeWords('18:30') })}
    />
  )
}

function WordedField({
  value,
  onChange,
  isTime,
  wordsOf,
  read,
  problem,
  error,
  onBlur,
  ...rest
}: TimeFieldProps & {
  readonly isTime: (text: string) => boolean
  readonly wordsOf: (value: string) => string
  readonly read: (text: string) => string | undefined
  readonly problem: string
}) {
  // The text while it is edited, so that it is not reformatted before it is complete.
  const [typed, setTyped] = useState<string>()
  const isWrong = typed === undefined && value !== '' && !isTime(value)
  return (
    <TextInput
      autoComplete="off"
      {...rest}
      error={isWrong ? problem : error}
      value={typed ?? wordsOf(value)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value)
        onChange(read(currentTarget.value) ?? currentTarget.value.trim())
      }}
      onBlur={(event) => {
        setTyped(undefined)
        onBlur?.(event)
      }}
    />
  )
}
