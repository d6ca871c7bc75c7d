import { withBase } from '@rspress/core/runtime'

interface TryProps {
  readonly name: string
  /** The address on the page of the mock. */
  readonly open: string
  /** What the reader can do there. */
  readonly say: string
}

/**
 * Offers a demo: a capsule in a frame, which cannot reach this page. Its own policy keeps it from the network. A lazy frame in closed details
 * loads when the reader opens them, also before the scripts of the site have loaded.
 */
export default function Try({ name, open, say }: TryProps) {
  const address = `${withBase(`/worlds/${name}.html`)}${open}`
  return (
    <aside className="try rp-not-doc">
      <p>{say}</p>
      <details>
        <summary>Try it</summary>
        <iframe
          src={address}
          loading="lazy"
          sandbox="allow-scripts allow-forms allow-downloads"
          title={`The mock: ${say}`}
        />
      </details>
      <small>
        The mock runs in your browser, without a server.{' '}
        <a className="rp-link" href={address} target="_blank" rel="noreferrer">
          Open it alone
        </a>
      </small>
    </aside>
  )
}
