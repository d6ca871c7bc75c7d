import { withBase } from '@rspress/core/runtime'
import { useState } from 'react'

interface TryProps {
  readonly name: string
  /** The address on the page of the mock. */
  readonly open: string
  /** What the reader can do there. */
  readonly say: string
}

/** Offers a demo, and loads it on click: a capsule in a frame, which cannot reach this page. Its own policy keeps it from the network. */
export default function Try({ name, open, say }: TryProps) {
  const [isOpen, setOpen] = useState(false)
  const address = `${withBase(`/worlds/${name}.html`)}${open}`
  return (
    <aside className="try">
      <p>{say}</p>
      {isOpen ? (
        <iframe src={address} sandbox="allow-scripts allow-forms allow-downloads" title={`The mock: ${say}`} />
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          Try it
        </button>
      )}
      <small>
        The mock runs in your browser, without a server.{' '}
        <a className="rp-link" href={address} target="_blank" rel="noreferrer">
          Open it alone
        </a>
      </small>
    </aside>
  )
}
