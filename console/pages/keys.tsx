import { useState } from 'preact/hooks';
import { type Environment, type KeyScope, keyScopes } from '../../wire/account.ts';
import type { Key, NewKey, Project } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { ShownOnce } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { expiryOf, KeyLimits, type Lifetime, ScopeBadges } from '../parts/key-limits.tsx';
import { useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { For } from '../parts/role.tsx';
import { useTranslation } from '../words/translation.tsx';

type OpenDialog = { what: 'create' } | { what: 'rename' | 'roll' | 'regenerate' | 'revoke'; key: Key };

/** How many hours the old key lives on. */
type Grace = '1' | '24' | '168';

export function KeysPage({ project }: { project: Project }) {
  const { say } = useTranslation();
  const keys = useLoaded(() => ask<Key[]>('GET', `/projects/${project.id}/keys`), [project.id]);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [shown, setShown] = useState<string>();
  const close = () => setDialog(undefined);

  return (
    <>
      <Heading title={say('keys')} intro={say('keysIntro')}>
        <For atLeast="operator">
          <button type="button" class="primary" onClick={() => setDialog({ what: 'create' })}>
            {say('newKey')}
          </button>
        </For>
      </Heading>
      {shown && <ShownOnce text={shown} sentence={say('keyOnce')} onDone={() => setShown(undefined)} />}
      <WhenLoaded loaded={keys}>
        {(all) => (
          <>
            {(['live', 'test'] as const).map((environment) => (
              <section key={environment}>
                <h2>{say(`${environment}Keys`)}</h2>
                <KeyList
                  keys={all.filter((key) => key.environment === environment && !key.revokedAt)}
                  onOpen={setDialog}
                />
              </section>
            ))}
            <RevokedKeys keys={all.filter(({ revokedAt }) => revokedAt)} />
          </>
        )}
      </WhenLoaded>
      {dialog && (
        <KeyDialog
          dialog={dialog}
          project={project}
          onClose={close}
          onDone={async (made) => {
            if (made) setShown(made.key);
            await keys.reload();
          }}
        />
      )}
    </>
  );
}

function KeyList({ keys, onOpen }: { keys: Key[]; onOpen(dialog: OpenDialog): void }) {
  const { say, date, time } = useTranslation();
  if (keys.length === 0) return <p class="empty">{say('noKeys')}</p>;
  return (
    <ul class="rows">
      {keys.map((key) => (
        <li key={key.id} class="card row">
          <div>
            <h3>{key.name}</h3>
            <p>
              <code>{key.prefix}…</code> {key.signed && <span class="badge">{say('signed')}</span>}{' '}
              <ScopeBadges scopes={key.scopes} />
            </p>
            <p class="quiet">
              {say('created', { date: date(key.createdAt) })} ·{' '}
              {key.lastUsedAt ? say('lastUsed', { date: date(key.lastUsedAt) }) : say('neverUsed')}
              {key.expiresAt &&
                ` · ${say(isPast(key.expiresAt) ? 'expiredOn' : 'expiresOn', { date: date(key.expiresAt) })}`}
            </p>
            {key.previousUntil && !isPast(key.previousUntil) && (
              <p class="quiet">
                {say('previousUntil', { date: `${date(key.previousUntil)} ${time(key.previousUntil)}` })}
              </p>
            )}
          </div>
          <For atLeast="operator">
            <div class="buttons">
              {(['rename', 'roll', 'regenerate', 'revoke'] as const).map((what) => (
                <button
                  key={what}
                  type="button"
                  class={what === 'revoke' ? 'danger' : ''}
                  aria-label={`${say(what)}: ${key.name}`}
                  onClick={() => onOpen({ what, key })}
                >
                  {say(what)}
                </button>
              ))}
            </div>
          </For>
        </li>
      ))}
    </ul>
  );
}

function RevokedKeys({ keys }: { keys: Key[] }) {
  const { say, date } = useTranslation();
  if (keys.length === 0) return null;
  return (
    <details>
      <summary>{say('revokedKeys', { count: keys.length })}</summary>
      <ul class="rows">
        {keys.map(({ id, name, prefix, environment, revokedAt }) => (
          <li key={id} class="card">
            <h3>{name}</h3>
            <p class="quiet">
              <code>{prefix}…</code> · {say(environment)} · {say('revokedOn', { date: date(revokedAt!) })}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function KeyDialog(props: {
  dialog: OpenDialog;
  project: Project;
  onClose(): void;
  onDone(made?: NewKey): Promise<void>;
}) {
  const { say } = useTranslation();
  const { dialog, project, onClose, onDone } = props;
  const [name, setName] = useState(dialog.what === 'rename' ? dialog.key.name : '');
  const [environment, setEnvironment] = useState<Environment>('test');
  const [lifetime, setLifetime] = useState<Lifetime>('none');
  const [scopes, setScopes] = useState<KeyScope[]>([...keyScopes]);
  const [grace, setGrace] = useState<Grace>('24');
  const nameField = <TextField label={say('keyName')} value={name} onValue={setName} maxLength={100} />;

  if (dialog.what === 'create')
    return (
      <Dialog
        title={say('newKey')}
        action={say('createKey')}
        onClose={onClose}
        onAction={async () =>
          onDone(
            await ask<NewKey>('POST', `/projects/${project.id}/keys`, {
              name,
              environment,
              expiresAt: expiryOf(lifetime),
              scopes: scopes.length === keyScopes.length ? null : scopes,
            }),
          )
        }
      >
        {nameField}
        <Choice<Environment>
          label={say('environment')}
          value={environment}
          onValue={setEnvironment}
          options={[
            ['test', say('test')],
            ['live', say('live')],
          ]}
        />
        <KeyLimits lifetime={lifetime} onLifetime={setLifetime} scopes={scopes} onScopes={setScopes} />
      </Dialog>
    );
  const { what, key } = dialog;
  if (what === 'rename')
    return (
      <Dialog
        title={say('renameKey', { name: key.name })}
        action={say('rename')}
        onClose={onClose}
        onAction={async () => {
          await ask('PATCH', `/keys/${key.id}`, { name });
          await onDone();
        }}
      >
        {nameField}
      </Dialog>
    );
  if (what === 'roll')
    return (
      <Dialog
        title={say('rollKey', { name: key.name })}
        action={say('roll')}
        onClose={onClose}
        onAction={async () =>
          onDone(await ask<NewKey>('POST', `/keys/${key.id}/roll`, { graceHours: Number(grace) }))
        }
      >
        <p>{say('rollWarning')}</p>
        <Choice<Grace>
          label={say('grace')}
          value={grace}
          onValue={setGrace}
          options={[
            ['1', say('oneHour')],
            ['24', say('oneDay')],
            ['168', say('oneWeek')],
          ]}
        />
      </Dialog>
    );
  return (
    <Dialog
      title={say(`${what}Key`, { name: key.name })}
      action={say(what)}
      dangerous
      onClose={onClose}
      onAction={async () => {
        if (what === 'revoke') {
          await ask('DELETE', `/keys/${key.id}`);
          await onDone();
        } else await onDone(await ask<NewKey>('POST', `/keys/${key.id}/regenerate`));
      }}
    >
      <p>{say(`${what}Warning`)}</p>
    </Dialog>
  );
}

function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now();
}
