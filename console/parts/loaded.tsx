import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSpeech } from '../words/speech.tsx';

export type Loaded<Value> = {
  value: Value | undefined;
  error: unknown;
  reload(): Promise<void>;
};

/** Something that is asked for when the page opens, and again when `dependencies` change. */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  dependencies: readonly unknown[],
): Loaded<Value> {
  const [state, setState] = useState<{ value?: Value; error?: unknown }>({});
  const reload = useCallback(async () => {
    try {
      const value = await load();
      setState({ value });
    } catch (error) {
      setState((before) => ({ ...before, error }));
    }
  }, dependencies);
  useEffect(() => void reload(), [reload]);
  return { value: state.value, error: state.error, reload };
}

/** Says that it is being loaded, or why it cannot be; then shows it. */
export function WhenLoaded<Value>(props: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { say } = useSpeech();
  const { value, error, reload } = props.loaded;
  return (
    <>
      {error !== undefined && (
        <Failure error={error}>
          <button type="button" onClick={() => void reload()}>
            {say('tryAgain')}
          </button>
        </Failure>
      )}
      {value !== undefined && props.children(value)}
      {value === undefined && error === undefined && <p class="quiet">{say('loading')}</p>}
    </>
  );
}

export function Failure({ error, children }: { error: unknown; children?: ComponentChildren }) {
  const { explain } = useSpeech();
  if (error === undefined) return null;
  return (
    <div class="failure" role="alert">
      <p>{explain(error)}</p>
      {children}
    </div>
  );
}
