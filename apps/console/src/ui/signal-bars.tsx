import './signal-bars.css'

const steps = [1, 25, 50, 75]

/** Signal strength as four bars. */
export function SignalBars({ signal }: { readonly signal: number | undefined }) {
  return (
    <svg className="signal-bars" width="18" height="16" viewBox="0 0 18 16" aria-hidden="true" focusable="false">
      {steps.map((from, at) => (
        <rect
          key={from}
          className={(signal ?? 0) >= from ? 'is-on' : undefined}
          x={at * 4.6}
          y={11 - at * 3.4}
          width="3.2"
          height={5 + at * 3.4}
          rx="1"
        />
      ))}
    </svg>
  )
}
