import { Button } from '@mantine/core'
import { useState } from 'react'
import { type DeliveryFilter, useRedeliverRange } from '../api/webhooks.ts'
import { AskFirst } from '../ui/ask-first.tsx'
import { t } from '../words/text.ts'

/** Resends all deliveries that match the filter. */
export function RedeliverRange({ webhookId, filter }: { readonly webhookId: string; readonly filter: DeliveryFilter }) {
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
        title={t('delivery.resendRangeTitle')}
        action={t('delivery.resendRange')}
        isHarmless
        isOpen={isAsking}
        deed={redeliver}
        onYes={() =>
          redeliver.mutate({ from, to, ...(state !== undefined && { state }) }, { onSuccess: () => setAsking(false) })
        }
        onClose={() => setAsking(false)}
      >
        {t('delivery.resendRangeHelp')}
      </AskFirst>
    </>
  )
}
