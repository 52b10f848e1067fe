import { useState } from 'preact/hooks';
import { type ConsoleRole, type ConsoleSession, type ConsoleUser, consoleRoles } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { ShownOnce } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choice } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { useTranslation } from '../words/translation.tsx';

type OpenDialog = { what: 'invite' } | { what: 'role' | 'reset' | 'remove'; user: ConsoleUser };

/** The people who may use the console, for owners. */
export function UsersPage({ session }: { session: ConsoleSession }) {
  const { say, date } = useTranslation();
  const users = useLoaded(() => ask<ConsoleUser[]>('GET', '/users'), []);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [link, setLink] = useState<string>();
  return (
    <>
      <Heading title={say('users')} intro={say('usersIntro')}>
        <button type="button" class="primary" onClick={() => setDialog({ what: 'invite' })}>
          {say('invite')}
        </button>
      </Heading>
      {link && <ShownOnce text={link} sentence={say('linkOnce')} onDone={() => setLink(undefined)} />}
      <WhenLoaded loaded={users}>
        {(all) => (
          <ul class="rows">
            {all.map((user) => (
              <li key={user.id} class="card row">
                <div>
                  <h2>{user.name}</h2>
                  <p>
                    <span class="badge">{say(`role_${user.role}`)}</span>{' '}
                    {!user.hasPassword && <span class="badge">{say('singleSignOn')}</span>}
                  </p>
                  <p class="quiet">{say('created', { date: date(user.createdAt) })}</p>
                </div>
                <div class="buttons">
                  {(['role', 'reset', 'remove'] as const)
                    .filter((what) => what !== 'reset' || user.hasPassword)
                    .map((what) => (
                      <button
                        key={what}
                        type="button"
                        class={what === 'remove' ? 'danger' : ''}
                        aria-label={`${say(`user_${what}`)}: ${user.name}`}
                        onClick={() => setDialog({ what, user })}
                      >
                        {say(`user_${what}`)}
                      </button>
                    ))}
                </div>
              </li>
            ))}
          </ul>
        )}
      </WhenLoaded>
      {dialog && (
        <UserDialog
          dialog={dialog}
          ownId={session.user.id}
          onClose={() => setDialog(undefined)}
          onLink={setLink}
          onChange={users.reload}
        />
      )}
    </>
  );
}

function UserDialog(props: {
  dialog: OpenDialog;
  ownId: string;
  onClose(): void;
  onLink(address: string): void;
  onChange(): Promise<void>;
}) {
  const { say } = useTranslation();
  const { dialog, ownId, onClose, onLink, onChange } = props;
  const [role, setRole] = useState<ConsoleRole>(dialog.what === 'role' ? dialog.user.role : 'viewer');
  const makeLink = async (wanted: object) => {
    const { link } = await ask<{ link: string }>('POST', '/users/links', wanted);
    onLink(`${location.origin}/console#/setup?link=${link}`);
  };
  /** After a change of the user's own role or account, the session is over. */
  const afterwards = async (id: string) => {
    if (id === ownId) location.reload();
    else await onChange();
  };
  const roleChoice = (
    <Choice<ConsoleRole>
      label={say('role')}
      value={role}
      onValue={setRole}
      options={consoleRoles.map(
        (each) => [each, `${say(`role_${each}`)}: ${say(`roleHelp_${each}`)}`] as const,
      )}
    />
  );

  if (dialog.what === 'invite')
    return (
      <Dialog
        title={say('invite')}
        action={say('makeLink')}
        onClose={onClose}
        onAction={() => makeLink({ role })}
      >
        <p>{say('inviteNote')}</p>
        {roleChoice}
      </Dialog>
    );
  const { what, user } = dialog;
  const { id, name } = user;
  if (what === 'role')
    return (
      <Dialog
        title={`${say('user_role')}: ${name}`}
        action={say('save')}
        onClose={onClose}
        onAction={async () => {
          await ask('PATCH', `/users/${id}`, { role });
          await afterwards(id);
        }}
      >
        <p>{say('roleNote')}</p>
        {roleChoice}
      </Dialog>
    );
  if (what === 'reset')
    return (
      <Dialog
        title={`${say('user_reset')}: ${name}`}
        action={say('makeLink')}
        onClose={onClose}
        onAction={() => makeLink({ user: name })}
      >
        <p>{say('resetNote', { name })}</p>
      </Dialog>
    );
  return (
    <Dialog
      title={`${say('user_remove')}: ${name}`}
      action={say('user_remove')}
      dangerous
      onClose={onClose}
      onAction={async () => {
        await ask('DELETE', `/users/${id}`);
        await afterwards(id);
      }}
    >
      <p>{say('removeNote', { name })}</p>
    </Dialog>
  );
}
