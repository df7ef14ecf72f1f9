import { Button } from '@mantine/core'
import type { FindingsAnswer } from '@smsgw/contract/device'
import { useExamineDevice } from '../api/devices.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Panel } from '../ui/page.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { rich, t } from '../words/text.ts'
import './examine-device.css'

type Verdict = FindingsAnswer['findings'][number]['verdict']

const tones: Readonly<Record<Verdict, Tone>> = { problem: 'bad', warning: 'warn', ok: 'good' }
const order: readonly Verdict[] = ['problem', 'warning', 'ok']

/** Runs diagnostics on the device and lists the results, problems first. */
export function ExamineDevice({ id, isOnline }: { readonly id: string; readonly isOnline: boolean }) {
  const examine = useExamineDevice(id)
  return (
    <Panel
      title={t('diagnostics.title')}
      about={t('diagnostics.about')}
      actions={
        <Button variant="default" disabled={!isOnline} loading={examine.isPending} onClick={() => examine.mutate()}>
          {t('diagnostics.run')}
        </Button>
      }
    >
      {!isOnline && <p className="quiet small">{t('diagnostics.offline')}</p>}
      <ProblemNote error={examine.error} />
      {examine.data && <FindingList findings={examine.data} />}
    </Panel>
  )
}

function FindingList({ findings: { checkedAt, findings } }: { readonly findings: FindingsAnswer }) {
  const sorted = findings.toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
  return (
    <>
      <ul className="findings" aria-label={t('diagnostics.results')}>
        {sorted.map(({ check, verdict, text, advice }) => (
          <li key={check + text}>
            <Badge tone={tones[verdict]}>{t(`diagnostics.${verdict}`)}</Badge>
            <div lang="en" dir="auto">
              <b>{check}</b>
              <p>{text}</p>
              {advice !== undefined && <p className="findings-advice">{advice}</p>}
            </div>
          </li>
        ))}
      </ul>
      <p className="small quiet">{rich('diagnostics.checkedAt', { when: <RelativeTime at={checkedAt} /> })}</p>
    </>
  )
}
