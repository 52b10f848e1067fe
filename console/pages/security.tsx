import { useId, useState } from 'preact/hooks';
import type { ConsoleSession, Key, Project } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { useAction } from '../parts/action.tsx';
import { ShownOnce } from '../parts/copyable.tsx';
import { Heading } from '../parts/heading.tsx';
import { Failure, useLoaded, WhenLoaded } from '../parts/loaded.tsx';
import { For, useMay } from '../parts/role.tsx';
import { SampleTabs } from '../parts/samples.tsx';
import { signingSamples } from '../samples/signing.ts';
import { useTranslation } from '../words/translation.tsx';

type Props = { project: Project; session: ConsoleSession; onChange(): Promise<void> };

export function SecurityPage(props: Props) {
  const { say } = useTranslation();
  return (
    <>
      <Heading title={say('security')} />
      <AllowList {...props} />
      <Signing {...props} />
      <SampleTabs samples={signingSamples(props.session.addresses)} title={say('signingExample')} />
    </>
  );
}

function AllowList({ project, onChange }: Props) {
  const may = useMay();
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const [networks, setNetworks] = useState(project.allow.join('\n'));
  const [saved, setSaved] = useState(false);
  const id = useId();
  const save = async () => {
    const allow = networks.split(/[\s,]+/).filter(Boolean);
    const worked = await run(async () => {
      const changed = await ask<Project>('PATCH', `/projects/${project.id}`, { allow });
      setNetworks(changed.allow.join('\n'));
      await onChange();
    });
    setSaved(worked);
  };
  return (
    <section>
      <h2>{say('allowList')}</h2>
      <form
        class="stack card"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="quiet" id={`${id}-hint`}>
          {say('allowListIntro')}
        </p>
        <div class="field">
          <label for={id}>{say('networks')}</label>
          <textarea
            id={id}
            rows={4}
            spellcheck={false}
            readOnly={!may('operator')}
            aria-describedby={`${id}-hint`}
            value={networks}
            onInput={(event) => {
              setSaved(false);
              setNetworks(event.currentTarget.value);
            }}
          />
        </div>
        <Failure error={error} />
        <For atLeast="operator">
          <div class="buttons">
            <span role="status">{saved && say('saved')}</span>
            <button type="submit" class="primary" disabled={busy}>
              {say('save')}
            </button>
          </div>
        </For>
      </form>
    </section>
  );
}

function Signing({ project }: Props) {
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const [secret, setSecret] = useState<string>();
  const keys = useLoaded(() => ask<Key[]>('GET', `/projects/${project.id}/keys`), [project.id]);
  const require = (key: Key) =>
    run(async () => {
      const { signingSecret } = await ask<{ signingSecret: string }>('POST', `/keys/${key.id}/signature`);
      setSecret(signingSecret);
      await keys.reload();
    });
  const drop = (key: Key) =>
    run(async () => {
      await ask('DELETE', `/keys/${key.id}/signature`);
      await keys.reload();
    });

  return (
    <section>
      <h2>{say('signing')}</h2>
      <p class="quiet">{say('signingIntro')}</p>
      {secret && <ShownOnce text={secret} sentence={say('secretOnce')} onDone={() => setSecret(undefined)} />}
      <Failure error={error} />
      <WhenLoaded loaded={keys}>
        {(all) => {
          const usable = all.filter(({ revokedAt }) => !revokedAt);
          if (usable.length === 0) return <p class="empty">{say('noKeys')}</p>;
          return (
            <ul class="rows">
              {usable.map((key) => (
                <li key={key.id} class="card row">
                  <div>
                    <h3>{key.name}</h3>
                    <p class="quiet">
                      <code>{key.prefix}…</code> · {say(key.environment)}
                    </p>
                    {key.signed && <p>{say('signingOnFor', { name: key.name })}</p>}
                  </div>
                  <For atLeast="operator">
                    <div class="buttons">
                      {key.signed && (
                        <button
                          type="button"
                          disabled={busy}
                          aria-label={`${say('signingOff')}: ${key.name}`}
                          onClick={() => void drop(key)}
                        >
                          {say('signingOff')}
                        </button>
                      )}
                      <button
                        type="button"
                        disabled={busy}
                        aria-label={`${say(key.signed ? 'signingNewSecret' : 'signingOn')}: ${key.name}`}
                        onClick={() => void require(key)}
                      >
                        {say(key.signed ? 'signingNewSecret' : 'signingOn')}
                      </button>
                    </div>
                  </For>
                </li>
              ))}
            </ul>
          );
        }}
      </WhenLoaded>
    </section>
  );
}
