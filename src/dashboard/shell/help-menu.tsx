import { Button, Menu } from '../ui/controls.js'
import { Icon } from '../ui/icons.js'
import { openDialog } from '../ui/screen.js'

/** Where the docs are. `wrong`: where to start if something is wrong. */
const docs = {
  start: 'https://www.npmjs.com/package/mockmaker#documentation',
  wrong: 'https://www.npmjs.com/package/mockmaker#see-what-happened',
} as const

/** The docs, what to do if something is wrong, and the keys. */
export function HelpMenu() {
  return (
    <Menu id="help" class="end help" buttonClass="quiet square" name="Help" label={<Icon name="help" />}>
      {() => (
        <>
          <DocsLink href={docs.start}>Docs</DocsLink>
          <DocsLink href={docs.wrong}>Something is wrong?</DocsLink>
          <Button class="choice" onClick={() => (openDialog.value = 'keys')}>
            Keys <kbd>?</kbd>
          </Button>
        </>
      )}
    </Menu>
  )
}

function DocsLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <a class="choice" href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
