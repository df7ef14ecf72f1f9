import { patientPage } from '../patient-page.tsx'
import { WaitingLines } from '../ui/waiting-lines.tsx'

/** A plot, drawn once what draws it has been loaded. */
export const LazyPlot = patientPage(() => import('./plot.tsx'), <WaitingLines lines={6} />)
