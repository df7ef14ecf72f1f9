import { Button, NativeSelect } from '@mantine/core'
import type { DeliveryState, WebhookAnswer } from '@smsgw/contract/webhooks/webhook'
import { useState } from 'react'
import { type DeliveryFilter, useDeliveries, useRedeliverRange } from '../api/webhooks.ts'
import { AskFirst } from '../ui/dialogs/ask-first.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'
import { WindowedList } from '../ui/lists/windowed-list.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { isLocalMinute } from '../ui/time-fields/local-time.ts'
import { PeriodFields } from '../ui/time-fields/time-fields.tsx'
import { Dotted } from '../ui/values/dotted.tsx'
import { momentWords } from '../ui/values/relative-words.ts'
import { useUrlValue } from '../ui/values/url-value.ts'
import { t } from '../words/text.ts'
import { DeliveryRow } from './delivery-row.tsx'
import { HealthStrip, useHealthBars } from './health-strip.tsx'
import './delivery-log.css'

const states: readonly DeliveryState[] = ['delivered', 'waiting', 'failed', 'dropped']

/** The deliveries of a webhook with their attempts, newest first. */
export function DeliveryLog({ webhook }: { readonly webhook: WebhookAnswer }) {
  const [state, setState] = useUrlValue<DeliveryState | ''>('state', '', states)
  const [from, setFrom] = useUrlValue('from', '')
  const [to, setTo] = useUrlValue('to', '')
  const filter: DeliveryFilter = {
    ...(state !== '' && { state }),
    ...(isLocalMinute(from) && { from: new Date(from).toISOString() }),
    ...(isLocalMinute(to) && { to: new Date(to).toISOString() }),
  }
  const log = useDeliveries(webhook.id, filter)
  // Remembers the open rows here, because rows far from the visible part are not rendered and so cannot remember it.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const deliveries = log.data?.pages.flatMap(({ body }) => body) ?? []
  const hasBars = useHealthBars(webhook.id).length > 0
  return (
    <Panel
      title={t('delivery.title')}
      about={hasBars ? t('webhooks.bars') : undefined}
      actions={hasBars ? <HealthStrip webhookId={webhook.id} size="large" /> : undefined}
    >
      <div className="fields-row">
        <NativeSelect
          label={t('common.state')}
          data={[
            { value: '', label: t('common.all') },
            ...states.map((value) => ({ value, label: t(`deliveryState.${value}`) })),
          ]}
          value={state}
          onChange={(event) => setState(event.currentTarget.value)}
        />
        <PeriodFields from={from} to={to} onFrom={setFrom} onTo={setTo} />
        <RedeliverRange webhookId={webhook.id} filter={filter} />
      </div>
      <ProblemNote error={log.error} retry={() => void log.refetch()} />
      {log.isPending && <WaitingLines />}
      {log.isSuccess && deliveries.length === 0 && (
        <EmptyState
          icon="webhooks"
          title={Object.keys(filter).length === 0 ? t('delivery.none') : t('common.noResults')}
        >
          {Object.keys(filter).length === 0 ? t('delivery.noneHelp') : t('common.changeFilter')}
        </EmptyState>
      )}
      {deliveries.length > 0 && (
        <WindowedList
          className="delivery-log"
          itemHeight={46}
          items={deliveries}
          keyOf={({ id }) => id}
          draw={(delivery) => ({
            children: (
              <DeliveryRow
                delivery={delivery}
                showsEvent={webhook.events.length > 1}
                isOpen={open.has(delivery.id)}
                onToggle={() => setOpen(toggled(open, delivery.id))}
              />
            ),
          })}
          isComplete={!log.hasNextPage}
        />
      )}
      {log.hasNextPage && (
        <Button variant="subtle" loading={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {t('common.loadMore')}
        </Button>
      )}
    </Panel>
  )
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return ids.has(id) ? new Set([...ids].filter((one) => one !== id)) : new Set([...ids, id])
}

/** Resends all deliveries that match the filter. */
function RedeliverRange({ webhookId, filter }: { readonly webhookId: string; readonly filter: DeliveryFilter }) {
  const redeliver = useRedeliverRange(webhookId)
  const [isAsking, setAsking] = useState(false)
  const { from, to, state } = filter
  if (from === undefined || to === undefined)
    return <p className="small quiet delivery-range-hint">{t('delivery.rangeHelp')}</p>
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {t('delivery.resendRange')}
      </Button>
      <AskFirst
        title={t(state === undefined ? 'delivery.resendRangeTitle' : 'delivery.resendFilteredTitle')}
        action={t('delivery.resendRange')}
        isHarmless
        isOpen={isAsking}
        deed={redeliver}
        onYes={() =>
          redeliver.mutate({ from, to, ...(state !== undefined && { state }) }, { onSuccess: () => setAsking(false) })
        }
        onClose={() => setAsking(false)}
      >
        <p>
          <Dotted>
            {state !== undefined && t(`deliveryState.${state}`)}
            {t('delivery.period', { from: momentWords(from), to: momentWords(to) })}
          </Dotted>
        </p>
        <p>{t('delivery.resendRangeHelp')}</p>
      </AskFirst>
    </>
  )
}
