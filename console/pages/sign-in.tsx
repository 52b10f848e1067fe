import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ConsoleSession, SignInOptions } from '../../wire/console.ts';
import { ask } from '../console-api.ts';
import { useAction } from '../parts/action.tsx';
import { TextField } from '../parts/field.tsx';
import { Failure, useLoaded } from '../parts/loaded.tsx';
import { Preferences } from '../parts/preferences.tsx';
import { goTo } from '../route.ts';
import { useTranslation } from '../words/translation.tsx';

type Entered = { onSignedIn(session: ConsoleSession): Promise<void> };

export function SignInPage({ onSignedIn, problem }: Entered & { problem: string | null }) {
  const { say } = useTranslation();
  const options = useLoaded(() => ask<SignInOptions>('GET', '/sign-in'), []);
  return (
    <PasswordForm
      title={say('signIn')}
      intro={say('signInIntro')}
      action={say('signIn')}
      autocomplete="current-password"
      onSubmit={async (given) => onSignedIn(await ask<ConsoleSession>('POST', '/sign-in', given))}
    >
      {options.value?.singleSignOn && (
        <a class="button" href="/console/single-sign-on">
          {say('signOn')}
        </a>
      )}
      {isProblem(problem) && (
        <div class="failure" role="alert">
          <p>{say(`signOn_${problem}`)}</p>
        </div>
      )}
      <p class="quiet">{say('forgotten')}</p>
    </PasswordForm>
  );
}

const problems = ['failed', 'no_role', 'too_many'] as const;

function isProblem(problem: string | null): problem is (typeof problems)[number] {
  return problems.some((known) => known === problem);
}

/** The page that the link of the first start opens. */
export function SetupPage({ link, onSignedIn }: Entered & { link: string }) {
  const { say } = useTranslation();
  return (
    <PasswordForm
      title={say('setup')}
      intro={say('setupIntro')}
      hint={say('passwordHint')}
      action={say('createAccount')}
      autocomplete="new-password"
      onSubmit={async (given) => {
        const session = await ask<ConsoleSession>('POST', '/setup', { link, ...given });
        // The link cannot be used again, so it is removed from the address.
        history.replaceState(null, '', '#/');
        // A viewer may not use the playground.
        goTo(session.user.role === 'viewer' ? 'projects' : 'playground/live');
        await onSignedIn(session);
      }}
    />
  );
}

function PasswordForm(props: {
  title: string;
  intro: string;
  hint?: string;
  action: string;
  autocomplete: 'current-password' | 'new-password';
  onSubmit(given: { name: string; password: string }): Promise<void>;
  children?: ComponentChildren;
}) {
  const { say } = useTranslation();
  const { busy, error, run } = useAction();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  return (
    <main class="alone">
      <p class="brand">
        <span lang="zh-TW">聲</span> Siann
      </p>
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => props.onSubmit({ name, password }));
        }}
      >
        <h1>{props.title}</h1>
        <p class="quiet">{props.intro}</p>
        <TextField label={say('name')} value={name} onValue={setName} autocomplete="username" />
        <TextField
          label={say('password')}
          {...(props.hint && { hint: props.hint })}
          password
          value={password}
          onValue={setPassword}
          autocomplete={props.autocomplete}
        />
        <Failure error={error} />
        <button type="submit" class="primary" disabled={busy}>
          {props.action}
        </button>
        {props.children}
      </form>
      <Preferences />
    </main>
  );
}
