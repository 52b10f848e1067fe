import { useState } from 'preact/hooks';
import type { ConsoleSession } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { useTranslation } from '../words/translation.tsx';
import { useAction } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';
import { Failure } from './loaded.tsx';

export function UserMenu(props: {
  user: ConsoleSession['user'];
  onLeave(): void;
  onSession(session: ConsoleSession): void;
}) {
  const { user, onLeave, onSession } = props;
  const { say } = useTranslation();
  const { error, run } = useAction();
  const [dialog, setDialog] = useState<'everywhere' | 'password'>();
  const close = () => setDialog(undefined);
  const signOut = async () => {
    if (await run(() => ask('POST', '/sign-out'))) onLeave();
  };
  return (
    <div class="user">
      <p class="quiet">
        {say('signedInAs', { name: user.name })} · {say(`role_${user.role}`)}
      </p>
      <Failure error={error} />
      <button type="button" onClick={() => void signOut()}>
        {say('signOut')}
      </button>
      <button type="button" onClick={() => setDialog('everywhere')}>
        {say('signOutEverywhere')}
      </button>
      {user.hasPassword && (
        <button type="button" onClick={() => setDialog('password')}>
          {say('changePassword')}
        </button>
      )}
      {dialog === 'password' && <PasswordDialog onClose={close} onSession={onSession} />}
      {dialog === 'everywhere' && (
        <Dialog
          title={say('signOutEverywhere')}
          action={say('signOutEverywhere')}
          onAction={async () => {
            await ask('POST', '/sign-out-everywhere');
            onLeave();
          }}
          onClose={close}
        >
          <p>{say('signOutEverywhereWarning')}</p>
        </Dialog>
      )}
    </div>
  );
}

function PasswordDialog(props: { onClose(): void; onSession(session: ConsoleSession): void }) {
  const { say } = useTranslation();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  return (
    <Dialog
      title={say('changePassword')}
      action={say('changePassword')}
      onAction={async () =>
        props.onSession(await ask<ConsoleSession>('POST', '/password', { current, password }))
      }
      onClose={props.onClose}
    >
      <p>{say('changePasswordNote')}</p>
      <TextField
        label={say('currentPassword')}
        password
        value={current}
        onValue={setCurrent}
        autocomplete="current-password"
      />
      <TextField
        label={say('newPassword')}
        hint={say('passwordHint')}
        password
        value={password}
        onValue={setPassword}
        autocomplete="new-password"
      />
    </Dialog>
  );
}
