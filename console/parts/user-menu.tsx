import { useState } from 'preact/hooks';
import { ask } from '../console-api.ts';
import { useTranslation } from '../words/translation.tsx';
import { useAction } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './loaded.tsx';

export function UserMenu({ name, onLeave }: { name: string; onLeave(): void }) {
  const { say } = useTranslation();
  const { error, run } = useAction();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const signOut = async () => {
    if (await run(() => ask('POST', '/sign-out'))) onLeave();
  };
  return (
    <div class="user">
      <p class="quiet">{say('signedInAs', { name })}</p>
      <Failure error={error} />
      <button type="button" onClick={() => void signOut()}>
        {say('signOut')}
      </button>
      <button type="button" onClick={() => setDialogOpen(true)}>
        {say('signOutEverywhere')}
      </button>
      {isDialogOpen && (
        <Dialog
          title={say('signOutEverywhere')}
          action={say('signOutEverywhere')}
          onAction={async () => {
            await ask('POST', '/sign-out-everywhere');
            onLeave();
          }}
          onClose={() => setDialogOpen(false)}
        >
          <p>{say('signOutEverywhereWarning')}</p>
        </Dialog>
      )}
    </div>
  );
}
