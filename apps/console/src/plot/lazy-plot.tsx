import { patientPage } from '../patient-page.tsx'
import { WaitingLines } from '../ui/lists/waiting-lines.tsx'

/** A plot whose library is loaded on demand. */
export const LazyPlot = patientPage(() => import('./plot.tsx'), <WaitingLines lines={6} />)
