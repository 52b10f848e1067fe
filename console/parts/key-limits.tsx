import { type KeyScope, keyScopes } from '../../wire/account.ts';
import { useTranslation } from '../words/translation.tsx';
import { Choice } from './field.tsx';

export type Lifetime = 'none' | '30' | '90' | '365';

/** How long a new key is valid, and what it may do. */
export function KeyLimits(props: {
  lifetime: Lifetime;
  onLifetime(lifetime: Lifetime): void;
  scopes: KeyScope[];
  onScopes(scopes: KeyScope[]): void;
}) {
  const { say } = useTranslation();
  const { scopes, onScopes } = props;
  return (
    <>
      <Choice<Lifetime>
        label={say('lifetime')}
        value={props.lifetime}
        onValue={props.onLifetime}
        options={[
          ['none', say('withoutEnd')],
          ['30', say('days', { count: 30 })],
          ['90', say('days', { count: 90 })],
          ['365', say('days', { count: 365 })],
        ]}
      />
      <fieldset class="field">
        <legend>{say('scopes')}</legend>
        {keyScopes.map((scope) => (
          <label key={scope} class="check">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                onScopes(keyScopes.filter((each) => (each === scope ? checked : scopes.includes(each))))
              }
            />
            {say(`scope_${scope}`)}
          </label>
        ))}
      </fieldset>
    </>
  );
}

/** What a key may do. A key that may do everything has no badges. */
export function ScopeBadges({ scopes }: { scopes: KeyScope[] | null }) {
  const { say } = useTranslation();
  return (
    <>
      {scopes?.map((scope) => (
        <span key={scope} class="badge">
          {say(`scope_${scope}`)}
        </span>
      ))}
    </>
  );
}

export function expiryOf(lifetime: Lifetime): string | null {
  if (lifetime === 'none') return null;
  return new Date(Date.now() + Number(lifetime) * 24 * 3_600_000).toISOString();
}
