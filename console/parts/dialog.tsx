import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useTranslation } from '../words/translation.tsx';
import { useAction } from './action.tsx';
import { Failure } from './loaded.tsx';

type DialogProps = {
  title: string;
  /** The text of the button that runs `onAction`. */
  action: string;
  dangerous?: boolean;
  onAction(): Promise<unknown>;
  onClose(): void;
  children?: ComponentChildren;
};

/** A modal dialog. It closes by itself when the action has succeeded. */
export function Dialog({ title, action, dangerous, onAction, onClose, children }: DialogProps) {
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => element.current?.showModal(), []);

  return (
    <dialog ref={element} aria-labelledby={titleId} onClose={onClose}>
      <form
        class="stack"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await run(onAction)) element.current?.close();
        }}
      >
        <h2 id={titleId}>{title}</h2>
        {children}
        <Failure error={error} />
        <div class="buttons">
          <button type="button" onClick={() => element.current?.close()}>
            {say('cancel')}
          </button>
          <button type="submit" class={dangerous ? 'danger' : 'primary'} disabled={busy}>
            {action}
          </button>
        </div>
      </form>
    </dialog>
  );
}
