import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { LiveEventContents } from '@smsgw/contract/live/live-event'
import type { LogEntryAnswer } from '@smsgw/contract/relay/log'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useLiveEvent } from '../api/live/live-updates.ts'
import { get, queryString } from '../api/request/ask.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { Page } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { beginsDay, dayWords } from '../ui/values/day-words.ts'
import { clockWords, fullWords } from '../ui/values/relative-words.ts'
import { useUrlValue } from '../ui/values/url-value.ts'
import { directionOf, t } from '../words/text.ts'
import { type LogLine, levels, matches } from './log-filter.ts'
import './logs.css'

const spans = () => [
  { value: '1', label: t('logs.lastHour') },
  { value: '24', label: t('logs.lastDay') },
  { value: '168', label: t('logs.lastWeek') },
]
const hourMs = 3_600_000
const mostFresh = 1_000
/** The largest number of entries in one answer of the API. */
const mostStored = 1_000

/** Log entries of the relay and the devices, updated live. */
export default function Logs() {
  const [hours, setHours] = useUrlValue('hours', '24', ['1', '24', '168'])
  const [least, setLeast] = useUrlValue<LogEntryAnswer['priority']>('level', 'DEBUG', levels)
  const [search, setSearch] = useUrlValue('search', '')
  const from = useMemo(() => new Date(Date.now() - Number(hours) * hourMs).toISOString(), [hours])
  const logs = useLogs(from)
  const { fresh, isHeld, toggle } = useFreshLines(logs.dataUpdatedAt)
  const stored = logs.data ?? []
  const known = new Set(stored.map(({ id }) => id))
  const lines = [...fresh.filter(({ id }) => !known.has(id)), ...stored].filter((line) =>
    matches(line, { least, search }),
  )
  return (
    <Page
      title={t('logs.title')}
      about={t('logs.about')}
      actions={
        <Button variant="default" aria-pressed={isHeld} onClick={toggle}>
          {isHeld ? t('logs.resume') : t('logs.pause')}
        </Button>
      }
    >
      <div className="fields-row">
        <NativeSelect
          label={t('logs.period')}
          data={spans()}
          value={hours}
          onChange={(event) => setHours(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('logs.level')}
          data={levels.map((value) => ({ value, label: t(`logs.${value}`) }))}
          value={least}
          onChange={(event) => setLeast(event.currentTarget.value)}
        />
        <TextInput
          dir={directionOf(search)}
          label={t('logs.search')}
          type="search"
          placeholder={t('logs.searchExample')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <ProblemNote error={logs.error} retry={() => void logs.refetch()} />
      {logs.isPending && <WaitingLines lines={8} />}
      {logs.isSuccess && lines.length === 0 && (
        <EmptyState icon="logs" title={t('logs.none')}>
          {t('logs.noneHelp')}
        </EmptyState>
      )}
      {stored.length >= mostStored && <p className="small quiet">{t('logs.truncated', { count: mostStored })}</p>}
      {lines.length > 0 && (
        <WindowedList
          className="log-lines"
          itemHeight={48}
          label={t('logs.list')}
          items={lines}
          keyOf={({ id }) => String(id)}
          draw={(line, at) => ({
            'data-priority': line.priority,
            children: (
              <>
                {beginsDay(lines[at - 1]?.createdAt, line.createdAt) && (
                  <p className="log-day">{dayWords(line.createdAt, Date.now())}</p>
                )}
                <Line line={line} />
              </>
            ),
          })}
        />
      )}
    </Page>
  )
}

/** Entries that were added after the list was loaded, newest first. */
function useFreshLines(listedAtMs: number) {
  const [isHeld, setHeld] = useState(false)
  const [{ sinceMs, lines }, setFresh] = useState<{ sinceMs: number; lines: readonly LogLine[] }>({
    sinceMs: 0,
    lines: [],
  })
  const add = useCallback(
    ({ id, priority, module, message }: LiveEventContents['log.added']) => {
      if (isHeld) return
      const line = {
        id,
        priority: priority as LogLine['priority'],
        module,
        message,
        createdAt: new Date().toISOString(),
      }
      setFresh((before) => ({ ...before, lines: [line, ...before.lines].slice(0, mostFresh) }))
    },
    [isHeld],
  )
  useLiveEvent('log.added', add)
  // Drops these entries, because the reloaded list contains them.
  if (listedAtMs !== sinceMs) setFresh({ sinceMs: listedAtMs, lines: [] })
  return { fresh: lines, isHeld, toggle: () => setHeld(!isHeld) }
}

function Line({ line: { createdAt, priority, module, message, context } }: { readonly line: LogLine }) {
  return (
    <div className="log-line">
      <time dateTime={createdAt} title={fullWords(createdAt)}>
        {clockWords(createdAt)}
      </time>
      <span className="log-priority">{t(`logPriority.${priority}`)}</span>
      <span className="log-module" lang="en" dir="ltr">
        {module}
      </span>
      <span lang="en" dir="ltr">
        {message}
        {context !== undefined && (
          <span className="log-context">
            {Object.entries(context).map(([name, value]) => (
              <span key={name}>
                {name}=<bdi>{value}</bdi>{' '}
              </span>
            ))}
          </span>
        )}
      </span>
    </div>
  )
}

/** Lists log entries, newest first. */
function useLogs(from: string | undefined) {
  return useQuery({
    queryKey: ['logs', from],
    queryFn: ({ signal }) => get<readonly LogEntryAnswer[]>(`/logs${queryString({ from })}`, signal),
  })
}
