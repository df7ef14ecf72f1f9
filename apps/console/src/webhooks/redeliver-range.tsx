import { Button } from '@mantine/core'
import { useState } from 'react'
import { type DeliveryFilter, useRedeliverRange } from '../api/webhooks.ts'
import { AskFirst } from '../ui/ask-first.tsx'

/** Everything that the filter shows, once more. */
export function RedeliverRange({ webhookId, filter }: { readonly webhookId: string; readonly filter: DeliveryFilter }) {
  const redeliver = useRedeliverRange(webhookId)
  const [isAsking, setAsking] = useState(false)
  const { from, to, state } = filter
  if (from === undefined || to === undefined)
    return <p className="small quiet delivery-range-hint">Choose from and to, and the whole range can be sent again.</p>
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Send the range again
      </Button>
      <AskFirst
        title="Send the whole range again?"
        action="Send it again"
        refusal="Leave it"
        isHarmless
        isOpen={isAsking}
        deed={redeliver}
        onYes={() =>
          redeliver.mutate({ from, to, ...(state !== undefined && { state }) }, { onSuccess: () => setAsking(false) })
        }
        onClose={() => setAsking(false)}
      >
        Each event keeps its id, so that a program which heard of it before can tell.
      </AskFirst>
    </>
  )
}
