import { type ComponentProps, Suspense } from 'react'
import { patientPage } from '../patient-page.ts'
import { WaitingLines } from '../ui/waiting-lines.tsx'

const Plot = patientPage(() => import('./plot.tsx'))

/** A plot, drawn once what draws it has been loaded. */
export function LazyPlot(props: ComponentProps<typeof Plot>) {
  return (
    <Suspense fallback={<WaitingLines lines={6} />}>
      <Plot {...props} />
    </Suspense>
  )
}
