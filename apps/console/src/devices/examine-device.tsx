import { Button } from '@mantine/core'
import type { FindingsAnswer } from '@smsgw/contract/device'
import { useExamineDevice } from '../api/devices.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import './examine-device.css'

type Verdict = FindingsAnswer['findings'][number]['verdict']

const shown: Readonly<Record<Verdict, readonly [tone: Tone, word: string]>> = {
  problem: ['bad', 'problem'],
  warning: ['warn', 'look at it'],
  ok: ['good', 'well'],
}
const order: readonly Verdict[] = ['problem', 'warning', 'ok']

/** The doctor: the device examines itself and says what to do. */
export function ExamineDevice({ id, isOnline }: { readonly id: string; readonly isOnline: boolean }) {
  const examine = useExamineDevice(id)
  return (
    <Panel
      title="Doctor"
      about="The device examines modem, SIM, power, clock, disk and ports, and says what to do about what it finds."
      actions={
        <Button variant="default" disabled={!isOnline} loading={examine.isPending} onClick={() => examine.mutate()}>
          Examine it now
        </Button>
      }
    >
      {!isOnline && <p className="quiet small">It can examine itself when it is connected.</p>}
      <ProblemNote error={examine.error} />
      {examine.data && <FindingList findings={examine.data} />}
    </Panel>
  )
}

function FindingList({ findings: { checkedAt, findings } }: { readonly findings: FindingsAnswer }) {
  const sorted = findings.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
  return (
    <>
      <ul className="findings" aria-label="Findings">
        {sorted.map(({ check, verdict, text, advice }) => (
          <li key={check + text}>
            <Badge tone={shown[verdict][0]}>{shown[verdict][1]}</Badge>
            <div>
              <b>{check}</b>
              <p>{text}</p>
              {advice !== undefined && <p className="findings-advice">{advice}</p>}
            </div>
          </li>
        ))}
      </ul>
      <p className="small quiet">
        Examined <RelativeTime at={checkedAt} />
      </p>
    </>
  )
}
