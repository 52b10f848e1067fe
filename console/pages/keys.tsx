import { useState } from 'preact/hooks';
import type { Environment } from '../../wire/account.ts';
import type { ListedKey, NewKey, Project } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { ShownOnce } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { Heading } from '../parts/heading.tsx';
import { useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { useTranslation } from '../words/translation.tsx';

type OpenDialog = { what: 'create' } | { what: 'rename' | 'regenerate' | 'revoke'; key: ListedKey };

export function KeysPage({ project }: { project: Project }) {
  const { say } = useTranslation();
  const keys = useLoaded(() => ask<ListedKey[]>('GET', `/projects/${project.id}/keys`), [project.id]);
  const [dialog, setDialog] = useState<OpenDialog>();
  const [shown, setShown] = useState<string>();
  const close = () => setDialog(undefined);

  return (
    <>
      <Heading title={say('keys')} intro={say('keysIntro')}>
        <button type="button" class="primary" onClick={() => setDialog({ what: 'create' })}>
          {say('newKey')}
        </button>
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

function KeyList({ keys, onOpen }: { keys: ListedKey[]; onOpen(dialog: OpenDialog): void }) {
  const { say, date } = useTranslation();
  if (keys.length === 0) return <p class="empty">{say('noKeys')}</p>;
  return (
    <ul class="rows">
      {keys.map((key) => (
        <li key={key.id} class="card row">
          <div>
            <h3>{key.name}</h3>
            <p>
              <code>{key.prefix}…</code> {key.signed && <span class="badge">{say('signed')}</span>}
            </p>
            <p class="quiet">
              {say('created', { date: date(key.createdAt) })} ·{' '}
              {key.lastUsed ? say('lastUsed', { date: date(key.lastUsed) }) : say('neverUsed')}
            </p>
          </div>
          <div class="buttons">
            {(['rename', 'regenerate', 'revoke'] as const).map((what) => (
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
        </li>
      ))}
    </ul>
  );
}

function RevokedKeys({ keys }: { keys: ListedKey[] }) {
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
  const nameField = <TextField label={say('keyName')} value={name} onValue={setName} maxLength={100} />;

  if (dialog.what === 'create')
    return (
      <Dialog
        title={say('newKey')}
        action={say('createKey')}
        onClose={onClose}
        onAction={async () =>
          onDone(await ask<NewKey>('POST', `/projects/${project.id}/keys`, { name, environment }))
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
