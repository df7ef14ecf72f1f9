import './wordmark.css'

/** Three bars of signal, and the name. */
export function Wordmark() {
  return (
    <span className="wordmark">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect className="wordmark-ground" width="32" height="32" rx="8" />
        <g className="wordmark-bars">
          <rect x="8" y="18" width="4" height="6" rx="1.5" />
          <rect x="14" y="13" width="4" height="11" rx="1.5" />
          <rect x="20" y="8" width="4" height="16" rx="1.5" />
        </g>
      </svg>
      smsgw
    </span>
  )
}
